func.func @pad(%x: tensor<3x32x48x48xf32>, %w: tensor<32x29x29xf32>, %k: i1, %k2: i1) -> tensor<3x32x20x20xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x32x20x20xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x32x20x20xf32>) -> tensor<3x32x20x20xf32>
  cf.cond_br %k, ^bb2, ^bb3
^bb1:
  %p = tensor.pad %0 low[0, 0, 14, 14] high[0, 0, 14, 14] {
  ^bb0(%i: index, %j: index, %l: index, %m: index):
    tensor.yield %zero : f32
  } : tensor<3x32x20x20xf32> to tensor<3x32x48x48xf32>
  %1 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%p, %w : tensor<3x32x48x48xf32>, tensor<32x29x29xf32>) outs(%f : tensor<3x32x20x20xf32>) -> tensor<3x32x20x20xf32>
  return %1 : tensor<3x32x20x20xf32>
^bb4:
  %2 = linalg.abs ins(%0 : tensor<3x32x20x20xf32>) outs(%e : tensor<3x32x20x20xf32>) -> tensor<3x32x20x20xf32>
  return %2 : tensor<3x32x20x20xf32>
^bb2:
  %0 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%x, %w : tensor<3x32x48x48xf32>, tensor<32x29x29xf32>) outs(%f : tensor<3x32x20x20xf32>) -> tensor<3x32x20x20xf32>
  cf.cond_br %k2, ^bb1, ^bb4
^bb3:
  return %f : tensor<3x32x20x20xf32>
}
func.func @joint(%x: tensor<3x32x48x48xf32>, %w: tensor<32x29x29xf32>, %k: i1) -> tensor<3x64x20x20xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x32x20x20xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x32x20x20xf32>) -> tensor<3x32x20x20xf32>
  cf.cond_br %k, ^bb2, ^bb3
^bb1:
  %p = tensor.concat dim(1) %0, %0 : (tensor<3x32x20x20xf32>, tensor<3x32x20x20xf32>) -> tensor<3x64x20x20xf32>
  return %p : tensor<3x64x20x20xf32>
^bb2:
  %0 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%x, %w : tensor<3x32x48x48xf32>, tensor<32x29x29xf32>) outs(%f : tensor<3x32x20x20xf32>) -> tensor<3x32x20x20xf32>
  cf.cond_br %k, ^bb1, ^bb3
^bb3:
  %q = tensor.concat dim(1) %f, %f : (tensor<3x32x20x20xf32>, tensor<3x32x20x20xf32>) -> tensor<3x64x20x20xf32>
  return %q : tensor<3x64x20x20xf32>
}
func.func @looped(%x: tensor<1x128x7x7xf32>, %w: tensor<128x128x1x1xf32> {tune.constant}, %d: tensor<128x31x31xf32> {tune.constant}, %v: tensor<128x128x3x3xf32> {tune.constant}) -> tensor<1x128x7x7xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<1x128x7x7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x128x7x7xf32>) -> tensor<1x128x7x7xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %x) -> tensor<1x128x7x7xf32> {
  %p = tensor.pad %y low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %j: index, %l: index, %m: index):
    tensor.yield %zero : f32
  } : tensor<1x128x7x7xf32> to tensor<1x128x9x9xf32>
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%p, %v : tensor<1x128x9x9xf32>, tensor<128x128x3x3xf32>) outs(%f : tensor<1x128x7x7xf32>) -> tensor<1x128x7x7xf32>
  %p2 = tensor.pad %0 low[0, 0, 15, 15] high[0, 0, 15, 15] {
  ^bb0(%a: index, %j: index, %l: index, %m: index):
    tensor.yield %zero : f32
  } : tensor<1x128x7x7xf32> to tensor<1x128x37x37xf32>
  %1 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%p2, %d : tensor<1x128x37x37xf32>, tensor<128x31x31xf32>) outs(%f : tensor<1x128x7x7xf32>) -> tensor<1x128x7x7xf32>
  scf.yield %1 : tensor<1x128x7x7xf32>
  }
  return %r : tensor<1x128x7x7xf32>
}
