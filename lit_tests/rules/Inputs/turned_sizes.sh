# turned_sizes.sh TEST FOLDER: products of TEST's weights_ahead.mlir whose weights are turned, of many
# sizes. What fills their panels is called once, and nothing of it is left in the task.
set -e
test=$1 folder=$2 inputs=$(dirname "$0")
for type in bf16 i8; do
  for size in 133x66 133x200 40x72 56x368 40x65; do
    module=$folder.$type.$size.mlir
    sed "s/133x200/$size/g; s/32x200/32x${size#*x}/g; s/32x133/32x${size%x*}/g" \
      "$inputs/turned_$type.mlir" > "$module"
    tune-run "$module" --function=turned --target=cpu:znver4 --db= --emit=llvm -o "$module.ll" \
      2> /dev/null
    FileCheck "$test" --input-file="$module.ll" --check-prefix=TURNED
    tune-run "$module" --function=turned --strict --check --db= --time=0.001 |
      FileCheck "$test" --check-prefix=OK
  done
done
