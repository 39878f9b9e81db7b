// The dialect `tune`: attributes that hold a decision, open or taken. docs/dialect.md is the manual.
//
// IRDL checks here how many parameters there are and of which kind. What it cannot say (an empty
// domain, a value twice, the elements of an array) is checked by dialects/domain.c, which is called
// at the same moment. `irdl.is` is not used: it compares attributes by identity, and the constraints
// are made in a context of their own (dialects/extensible.cpp).
irdl.dialect @tune {
  // An open decision: the values it may take, as an array of i64 or of strings.
  irdl.attribute @tile {
    %0 = irdl.base "#builtin.array"
    irdl.parameters(domain: %0)
  }
  irdl.attribute @fuse {
    %0 = irdl.base "#builtin.array"
    irdl.parameters(domain: %0)
  }
  irdl.attribute @vectorize {
    %0 = irdl.base "#builtin.array"
    irdl.parameters(domain: %0)
  }
  irdl.attribute @pack {
    %0 = irdl.base "#builtin.array"
    irdl.parameters(domain: %0)
  }
  irdl.attribute @order {
    %0 = irdl.base "#builtin.array"
    irdl.parameters(domain: %0)
  }
  irdl.attribute @unroll {
    %0 = irdl.base "#builtin.array"
    irdl.parameters(domain: %0)
  }
  irdl.attribute @parallel {
    %0 = irdl.base "#builtin.array"
    irdl.parameters(domain: %0)
  }
  irdl.attribute @alternative {
    %0 = irdl.base "#builtin.array"
    irdl.parameters(domain: %0)
  }

  // A decision taken: the kind it is of (a name from above), the value, and who decided.
  irdl.attribute @chosen {
    %0 = irdl.base "#builtin.string"
    %1 = irdl.base "#builtin.integer"
    %2 = irdl.base "#builtin.string"
    %3 = irdl.any_of(%1, %2)
    %4 = irdl.base "#builtin.string"
    irdl.parameters(kind: %0, value: %3, provenance: %4)
  }
}
