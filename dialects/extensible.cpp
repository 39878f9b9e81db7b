//===- extensible.cpp - Dynamic attributes and types, of which the C API has none -===//

extern "C" {
#include "support/status.h"
}

#include "dialects/extensible.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/IRDL/IR/IRDL.h"
#include "mlir/Dialect/IRDL/IR/IRDLInterfaces.h"
#include "mlir/Dialect/IRDL/IRDLVerifiers.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/ExtensibleDialect.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Threading.h"

#include <memory>
#include <string>

using namespace mlir;

namespace {

// The parsed description of a dialect. It has a context of its own, because the one that asks for
// the dialect is not complete at that moment, and lives as long as a verifier made from it.
struct Description {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
};

// The constraints of one attribute, as irdl::loadDialects makes them: one for each value in the
// body of the definition, and which of them each parameter has to meet.
struct Constraints {
  std::shared_ptr<Description> description;
  SmallVector<std::unique_ptr<irdl::Constraint>> constraints;
  SmallVector<unsigned> parameters;

  LogicalResult verify(function_ref<InFlightDiagnostic()> emitError,
                       ArrayRef<Attribute> attributes) const {
    if (attributes.size() != parameters.size())
      return emitError() << "expected " << parameters.size() << " parameters, but had "
                         << attributes.size();
    irdl::ConstraintVerifier verifier(constraints);
    for (auto [attribute, parameter] : llvm::zip(attributes, parameters))
      if (failed(verifier.verify(emitError, attribute, parameter)))
        return failure();
    return success();
  }
};

std::shared_ptr<Constraints> makeConstraints(std::shared_ptr<Description> description,
                                             irdl::AttributeOp definition) {
  auto result = std::make_shared<Constraints>();
  result->description = std::move(description);
  SmallVector<Value> values;
  for (Operation &op : definition.getBody().getOps())
    if (isa<irdl::VerifyConstraintInterface>(op))
      values.push_back(op.getResult(0));
  // Definitions that refer to types or attributes of their own dialect are not needed here.
  const DenseMap<irdl::TypeOp, std::unique_ptr<DynamicTypeDefinition>> types;
  const DenseMap<irdl::AttributeOp, std::unique_ptr<DynamicAttrDefinition>> attributes;
  for (Value value : values) {
    auto op = cast<irdl::VerifyConstraintInterface>(value.getDefiningOp());
    result->constraints.push_back(op.getVerifier(values, types, attributes));
    if (!result->constraints.back())
      return nullptr;
  }
  for (auto parameters : definition.getBody().getOps<irdl::ParametersOp>())
    for (Value argument : parameters.getArgs())
      result->parameters.push_back(llvm::find(values, argument) - values.begin());
  return result;
}

void populate(DynamicDialect *dialect, const char *irdlText, tune_attribute_verifier verify) {
  auto description = std::make_shared<Description>();
  description->context.loadDialect<irdl::IRDLDialect>();
  description->module = parseSourceString<ModuleOp>(irdlText, &description->context);
  if (!description->module)
    return;
  description->module->walk([&](irdl::AttributeOp definition) {
    std::shared_ptr<Constraints> constraints = makeConstraints(description, definition);
    if (!constraints)
      return;
    std::string name = definition.getSymName().str();
    dialect->registerDynamicAttr(DynamicAttrDefinition::get(
        name, dialect,
        [name, constraints, verify](function_ref<InFlightDiagnostic()> emitError,
                                    ArrayRef<Attribute> attributes) -> LogicalResult {
          if (failed(constraints->verify(emitError, attributes)))
            return failure();
          SmallVector<MlirAttribute> wrapped;
          for (Attribute attribute : attributes)
            wrapped.push_back(wrap(attribute));
          tune_status status = verify(name.c_str(), wrapped.size(), wrapped.data());
          if (tune_status_is_ok(status))
            return success();
          emitError() << tune_status_get_message(status);
          tune_status_free(status);
          return failure();
        }));
  });
}

} // namespace

void tune_extensible_register_dialect(MlirDialectRegistry registry, const char *name,
                                      const char *irdl, tune_attribute_verifier verify) {
  unwrap(registry)->insertDynamic(name, [irdl, verify](MLIRContext *, DynamicDialect *dialect) {
    populate(dialect, irdl, verify);
  });
}

bool tune_extensible_attribute_is_dynamic(MlirAttribute attribute) {
  return isa<DynamicAttr>(unwrap(attribute));
}

MlirStringRef tune_extensible_attribute_name(MlirAttribute attribute) {
  return wrap(cast<DynamicAttr>(unwrap(attribute)).getAttrDef()->getName());
}

intptr_t tune_extensible_attribute_parameter_count(MlirAttribute attribute) {
  return cast<DynamicAttr>(unwrap(attribute)).getParams().size();
}

MlirAttribute tune_extensible_attribute_parameter(MlirAttribute attribute, intptr_t position) {
  return wrap(cast<DynamicAttr>(unwrap(attribute)).getParams()[position]);
}

tune_status tune_extensible_attribute_create(MlirLocation location, const char *dialect,
                                             const char *name, intptr_t parameter_count,
                                             const MlirAttribute *parameters,
                                             MlirAttribute *out_attribute) {
  *out_attribute = wrap(Attribute());
  MLIRContext *context = unwrap(location).getContext();
  auto *extensible = dyn_cast_or_null<ExtensibleDialect>(context->getLoadedDialect(dialect));
  if (!extensible)
    return tune_status_make(TUNE_NOT_FOUND, "the dialect '%s' is not loaded", dialect);
  DynamicAttrDefinition *definition = extensible->lookupAttrDefinition(name);
  if (!definition)
    return tune_status_make(TUNE_NOT_FOUND, "no attribute #%s.%s", dialect, name);

  SmallVector<Attribute> unwrapped;
  for (intptr_t i = 0; i < parameter_count; ++i)
    unwrapped.push_back(unwrap(parameters[i]));
  // The reason goes into the status, so it must not reach the user's own handlers; what other
  // threads say meanwhile must.
  std::string reason;
  uint64_t thread = llvm::get_threadid();
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (llvm::get_threadid() != thread)
      return failure();
    reason += diagnostic.str();
    return success();
  });
  auto emitError = [&] { return mlir::emitError(unwrap(location)); };
  DynamicAttr attribute = DynamicAttr::getChecked(emitError, definition, unwrapped);
  if (!attribute)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "#%s.%s: %s", dialect, name, reason.c_str());
  *out_attribute = wrap(Attribute(attribute));
  return TUNE_OK;
}

void tune_extensible_emit(MlirLocation location, MlirDiagnosticSeverity severity,
                          const char *message, intptr_t note_count,
                          const MlirLocation *note_locations, const char *const *notes) {
  InFlightDiagnostic diagnostic = severity == MlirDiagnosticError ? emitError(unwrap(location))
                                  : severity == MlirDiagnosticWarning
                                      ? emitWarning(unwrap(location))
                                      : emitRemark(unwrap(location));
  diagnostic << message;
  for (intptr_t i = 0; i < note_count; ++i)
    diagnostic.attachNote(unwrap(note_locations[i])) << notes[i];
}
