"""Overloads: the forms that torch has of the functions of its inner library, where they are more than one and `out`."""

OVERLOADS = """
_batch_norm_with_update:out,default index:Tensor,Tensor_out,Tensor_hacked_twin
_foreach_add:Scalar,Scalar_out,List,List_out,ScalarList,ScalarList_out,Tensor,Tensor_out
_foreach_add_:Scalar,List,ScalarList,Tensor
_foreach_addcdiv:Scalar,Scalar_out,ScalarList,ScalarList_out,Tensor,Tensor_out
_foreach_addcdiv_:Scalar,ScalarList,Tensor
_foreach_addcmul:Scalar,Scalar_out,ScalarList,ScalarList_out,Tensor,Tensor_out
_foreach_addcmul_:Scalar,ScalarList,Tensor
_foreach_clamp_max:Scalar,Scalar_out,List,List_out,ScalarList,ScalarList_out
_foreach_clamp_max_:Scalar,List,ScalarList
_foreach_clamp_min:Scalar,Scalar_out,List,List_out,ScalarList,ScalarList_out
_foreach_clamp_min_:Scalar,List,ScalarList
_foreach_div:Scalar,Scalar_out,List,List_out,ScalarList,ScalarList_out,Tensor,Tensor_out
_foreach_div_:Scalar,List,ScalarList,Tensor _foreach_lerp:List,List_out,Scalar,Scalar_out,ScalarList,ScalarList_out
_foreach_lerp_:List,Scalar,ScalarList _foreach_maximum:Scalar,Scalar_out,List,List_out,ScalarList,ScalarList_out
_foreach_maximum_:Scalar,List,ScalarList _foreach_minimum:Scalar,Scalar_out,List,List_out,ScalarList,ScalarList_out
_foreach_minimum_:Scalar,List,ScalarList
_foreach_mul:Scalar,Scalar_out,List,List_out,ScalarList,ScalarList_out,Tensor,Tensor_out
_foreach_mul_:Scalar,List,ScalarList,Tensor _foreach_norm:Scalar,Scalar_out
_foreach_pow:List,List_out,Scalar,Scalar_out,ScalarList,ScalarList_out,ScalarAndTensor
_foreach_pow_:List,Scalar,ScalarList _foreach_powsum:Scalar,Scalar_out
_foreach_sub:Scalar,Scalar_out,List,List_out,ScalarList,ScalarList_out _foreach_sub_:Scalar,List,ScalarList
_native_batch_norm_legit:default,no_stats,out,no_stats_out _unsafe_index:Tensor,Tensor_hacked_twin
_unsafe_index_put:default,hacked_twin _upsample_bilinear2d_aa:default,vec,out acos:default,out,Scalar
acosh:default,out,Scalar
add:Tensor,Scalar,out,Scalar_out,t,int_complex,complex_int,float_complex,complex_float,int_float,float_int add:default
add_:Tensor,Scalar,t addmm:default,out,dtype_out,dtype all:default,dim,dims,out,dims_out,all_out
angle:default,out,Scalar any:default,dim,dims,out,dims_out,all_out arange:default,start,start_step,start_out,out
argsort:default,stable,stable_out as_tensor:default,list asin:default,out,Scalar asinh:default,out,Scalar
atan:default,out,Scalar atan2:default,out,int_float,float_int,Scalar_Scalar atanh:default,out,Scalar
atleast_1d:default,Sequence atleast_2d:default,Sequence atleast_3d:default,Sequence backward:default,TensorList
baddbmm:default,out,dtype_out,dtype bartlett_window:default,periodic,out,periodic_out
bernoulli:default,out,p,Tensor,Tensor_out,float_out bernoulli_:Tensor,float
bitwise_and:Tensor,Scalar,Scalar_Tensor,Tensor_out,Scalar_out,Scalar_Tensor_out bitwise_and_:Tensor,Scalar
bitwise_left_shift:Tensor,Tensor_Scalar,Scalar_Tensor,Tensor_out,Tensor_Scalar_out,Scalar_Tensor_out
bitwise_left_shift_:Tensor_Scalar,Tensor
bitwise_or:Tensor,Scalar,Scalar_Tensor,Tensor_out,Scalar_out,Scalar_Tensor_out bitwise_or_:Tensor,Scalar
bitwise_right_shift:Tensor,Tensor_Scalar,Scalar_Tensor,Tensor_out,Tensor_Scalar_out,Scalar_Tensor_out
bitwise_right_shift_:Tensor_Scalar,Tensor
bitwise_xor:Tensor,Scalar,Scalar_Tensor,Tensor_out,Scalar_out,Scalar_Tensor_out bitwise_xor_:Tensor,Scalar
blackman_window:default,periodic,out,periodic_out bmm:default,out,dtype_out,dtype
bucketize:Tensor,Scalar,Tensor_out,Scalar_out ceil:default,out,Scalar clamp:default,Tensor,out,Tensor_out
clamp_:default,Tensor clamp_max:default,Tensor,out,Tensor_out clamp_max_:default,Tensor
clamp_min:default,Tensor,out,Tensor_out clamp_min_:default,Tensor clip:default,Tensor,out,Tensor_out
clip_:default,Tensor conv1d:default,padding conv2d:default,padding conv3d:default,padding conv_transpose2d:input
conv_transpose3d:input copy_:default,Tensor,int,float
copysign:Tensor,Scalar,out,Scalar_out,int_float,float_int,default copysign_:Tensor,Scalar cos:default,out,Scalar
cosh:default,out,Scalar count_nonzero:default,dim_IntList,dim_IntList_out,out ctc_loss:IntList,Tensor
cumulative_trapezoid:x,dx dequantize:self,self_out,tensors_out,tensors,tensor,list device:default,with_index
div:Tensor,Scalar,Tensor_mode,Scalar_mode,out,out_mode,Scalar_out,Scalar_mode_out,default
div_:Tensor,Tensor_mode,Scalar,Scalar_mode divide:Tensor,Scalar,Tensor_mode,Scalar_mode,out,out_mode
divide_:Tensor,Tensor_mode,Scalar_mode,Scalar dsplit:int,array einsum:default,sublist
embedding_bag:default,padding_idx empty:memory_format,out
eq:Tensor,Scalar,Scalar_out,Tensor_out,int_list,device,enum,int_float,float_int,float_complex,complex_float
eq:default,float_list,Tensor_list,bool_list,str_list eq_:Scalar,Tensor erf:default,out,Scalar erfc:default,out,Scalar
exp:default,out,Scalar expm1:default,out,Scalar eye:default,m,out,m_out fill:Scalar,Scalar_out,Tensor,Tensor_out
fill_:Scalar,Tensor flatten:using_ints
float_power:Tensor_Tensor,Tensor_Scalar,Scalar,Tensor_Tensor_out,Scalar_out,Tensor_Scalar_out
float_power_:Tensor,Scalar floor:default,out,Scalar floor_divide:default,Scalar,out,Scalar_out
floor_divide_:Tensor,Scalar fmod:Tensor,Scalar,Tensor_out,Scalar_out,int_float,float_int,default fmod_:Tensor,Scalar
fractional_max_pool2d:default,output fractional_max_pool3d:default,output frexp:Tensor,Tensor_out,default
ge:Tensor,Scalar,Scalar_out,Tensor_out,int_float,float_int,default ge_:Scalar,Tensor geqrf:default,a
gradient:scalarint,scalararray,array,scalarrayint,scalarrayarray,tensorarrayint,tensorarray
greater:Tensor,Scalar,Scalar_out,Tensor_out greater_:Scalar,Tensor greater_equal:Tensor,Scalar,Scalar_out,Tensor_out
greater_equal_:Scalar,Tensor gru:input,data gt:Tensor,Scalar,Scalar_out,Tensor_out,int_float,float_int,default
gt_:Scalar,Tensor
hamming_window:default,periodic,periodic_alpha,periodic_alpha_beta,out,periodic_out,periodic_alpha_out
hamming_window:periodic_alpha_beta_out hann_window:default,periodic,out,periodic_out
histogram:bins_tensor,bins_tensor_out,bin_ct,bin_ct_out histogramdd:default,int_bins,TensorList_bins hsplit:int,array
index_fill:int_Tensor,int_Scalar,int_Scalar_out,int_Tensor_out index_fill_:int_Tensor,int_Scalar
index_put:default,out,hacked_twin index_put_:default,hacked_twin int_repr:out,default
is_contiguous:default,memory_format
isin:Tensor_Tensor,Tensor_Tensor_out,Tensor_Scalar,Tensor_Scalar_out,Scalar_Tensor,Scalar_Tensor_out
kaiser_window:default,periodic,beta,out,periodic_out,beta_out kthvalue:default,values ldexp:Tensor,out,default
le:Tensor,Scalar,Scalar_out,Tensor_out,int_float,float_int,default le_:Scalar,Tensor
lerp:Scalar,Tensor,Scalar_out,Tensor_out lerp_:Scalar,Tensor less:Tensor,Scalar,Scalar_out,Tensor_out
less_:Scalar,Tensor less_equal:Tensor,Scalar,Scalar_out,Tensor_out less_equal_:Scalar,Tensor lgamma:default,out,Scalar
linalg_cholesky_ex:default,L linalg_cond:default,p_str,out,p_str_out linalg_eigh:default,eigvals
linalg_inv_ex:default,inverse linalg_matrix_norm:default,str_ord,out,str_ord_out
linalg_matrix_rank:default,tol_tensor,atol_rtol_tensor,atol_rtol_float,atol_rtol_tensor_out
linalg_matrix_rank:atol_rtol_float_out,out,out_tol_tensor linalg_norm:default,ord_str,out,ord_str_out
linalg_pinv:default,atol_rtol_float,atol_rtol_tensor,atol_rtol_tensor_out,atol_rtol_float_out,out,rcond_tensor
linalg_pinv:out_rcond_tensor linalg_svd:default,U
linspace:Tensor_Tensor,Tensor_Scalar,Scalar_Tensor,default,out,Tensor_Tensor_out,Tensor_Scalar_out
linspace:Scalar_Tensor_out
log:default,out,Scalar,int_int,float_float,complex_complex,int_float,float_int,int_complex,complex_int
log:float_complex,complex_float,Scalar_Scalar log10:default,out,Scalar log1p:default,out,Scalar
log_softmax:int,int_out
logspace:Tensor_Tensor,Tensor_Scalar,Scalar_Tensor,default,out,Tensor_Tensor_out,Tensor_Scalar_out
logspace:Scalar_Tensor_out lstm:input,data lt:Tensor,Scalar,Scalar_out,Tensor_out,int_float,float_int,default
lt_:Scalar,Tensor mH:default,a mT:default,a manual_seed:default,generator
masked_fill:Scalar,Scalar_out,Tensor,Tensor_out masked_fill_:Scalar,Tensor max:other,default,dim,dim_max,unary_out,out
max_pool2d_with_indices_backward:default,grad_input mean:default,dim,out,dtype_out median:default,dim,dim_values,out
meshgrid:default,indexing min:other,default,dim,dim_min,unary_out,out mm:default,out,dtype_out,dtype
mode:default,values moveaxis:intlist,int movedim:int,intlist
mul:Tensor,Scalar,out,Scalar_out,left_t,right_,int_complex,complex_int,float_complex,complex_float,int_float
mul:float_int,default mul_:Tensor,Scalar,t multiply:Tensor,Scalar,out multiply_:Tensor,Scalar
nanmedian:default,dim,dim_values,out nanquantile:default,scalar,out,scalar_out narrow:default,Tensor
ne:Tensor,Scalar,Scalar_out,Tensor_out,int_list,device,enum,int_float,float_int,float_complex,complex_float
ne:default,float_list,Tensor_list,bool_list,str_list ne_:Scalar,Tensor neg:default,out,Scalar
norm:Scalar,ScalarOpt_dim,ScalarOpt_dim_dtype,dtype_out,out,ScalarOpt_dtype,ScalarOpt_dtype_out,Scalar_out
normal:Tensor_float,Tensor_float_out,float_Tensor_out,float_Tensor,Tensor_Tensor,Tensor_Tensor_out,float_float
normal:float_float_out,out not_equal:Tensor,Scalar,Scalar_out,Tensor_out not_equal_:Scalar,Tensor
polar:default,out,int_float,float_int,Scalar_Scalar
pow:Tensor_Tensor,Tensor_Scalar,Scalar,Tensor_Tensor_out,Scalar_out,Tensor_Scalar_out,int_float,float_int
pow:float_complex,complex_float,Scalar_Scalar,int_to_int pow_:Scalar,Tensor prod:default,dim_int,int_out,out
q_per_channel_scales:out,default q_per_channel_zero_points:out,default qr:default,Q
quantile:default,scalar,out,scalar_out rand:default,generator,out,generator_out
rand_like:default,generator,out,generator_out
randint:default,generator,low,low_generator,out,generator_out,low_out,low_generator_out
randint_like:default,Tensor,low_dtype,generator,Tensor_generator,low_generator_dtype,out,generator_out
randint_like:Tensor_out,Tensor_generator_out,low_dtype_out,low_generator_dtype_out
randn:default,generator,out,generator_out randn_like:default,generator,out,generator_out
random:from,from_out,to,to_out,default,out random_:from,to,default randperm:default,generator,out,generator_out
range:step,default,out,out_
remainder:Tensor,Scalar,Scalar_Tensor,Tensor_out,Scalar_out,Scalar_Tensor_out,int_float,float_int,default
remainder_:Tensor,Scalar repeat_interleave:Tensor,self_Tensor,self_int,Tensor_out
result_type:Tensor,Scalar,Scalar_Tensor,Scalar_Scalar rnn_relu:input,data rnn_tanh:input,data
round:default,decimals,out,decimals_out,Scalar round_:default,decimals rsub:Tensor,Scalar,Tensor_out,Scalar_out
scatter:value,src,reduce,value_reduce,src_out,value_out,reduce_out,value_reduce_out
scatter_:src,value,reduce,value_reduce scatter_reduce:two,two_out scatter_reduce_:two
searchsorted:Tensor,Tensor_out,Scalar,Scalar_out select:int,t select_copy:int,int_out
set_:source_Storage_storage_offset,source_Tensor,default,source_Storage,source_Tensor_storage_offset
sin:default,out,Scalar sinh:default,out,Scalar size:int,default slice:Tensor,t slice_copy:Tensor,Tensor_out
softmax:int,int_out sort:default,stable,values_stable,values,Tensor sparse_mask:out,default
special_chebyshev_polynomial_t:default,out,x_scalar,x_scalar_out,n_scalar,n_scalar_out
special_chebyshev_polynomial_u:default,out,x_scalar,x_scalar_out,n_scalar,n_scalar_out
special_chebyshev_polynomial_v:default,out,x_scalar,x_scalar_out,n_scalar,n_scalar_out
special_chebyshev_polynomial_w:default,out,x_scalar,x_scalar_out,n_scalar,n_scalar_out
special_hermite_polynomial_h:default,out,x_scalar,x_scalar_out,n_scalar,n_scalar_out
special_hermite_polynomial_he:default,out,x_scalar,x_scalar_out,n_scalar,n_scalar_out
special_laguerre_polynomial_l:default,out,x_scalar,x_scalar_out,n_scalar,n_scalar_out
special_legendre_polynomial_p:default,out,x_scalar,x_scalar_out,n_scalar,n_scalar_out
special_shifted_chebyshev_polynomial_t:default,out,x_scalar,x_scalar_out,n_scalar,n_scalar_out
special_shifted_chebyshev_polynomial_u:default,out,x_scalar,x_scalar_out,n_scalar,n_scalar_out
special_shifted_chebyshev_polynomial_v:default,out,x_scalar,x_scalar_out,n_scalar,n_scalar_out
special_shifted_chebyshev_polynomial_w:default,out,x_scalar,x_scalar_out,n_scalar,n_scalar_out
special_xlog1py:default,other_scalar,self_scalar,out,self_scalar_out,other_scalar_out
special_xlogy:default,other_scalar,self_scalar,out,self_scalar_out,other_scalar_out
special_zeta:default,other_scalar,self_scalar,out,self_scalar_out,other_scalar_out split:Tensor,sizes,default
split_copy:Tensor,Tensor_out sqrt:default,out,Scalar squeeze:default,dim,dims squeeze_:default,dim,dims
squeeze_copy:default,dim,dims,out,dim_out,dims_out sspaddmm:out,default std:default,dim,correction,correction_out,out
std_mean:default,dim,correction,correction_out stft:default,center stride:int,default
sub:Tensor,Scalar,out,Scalar_out,int_complex,complex_int,float_complex,complex_float,int_float,float_int sub:default
sub_:Tensor,Scalar subtract:Tensor,out,Scalar subtract_:Tensor,Scalar sum:dim_IntList,default,IntList_out,out
svd:default,U tan:default,out,Scalar tanh:default,out,Scalar tensor_split:sections,indices,tensor_indices_or_sections
to:device,dtype,other,dtype_layout,prim_Device,prim_dtype,prim_other to_padded_tensor:out,default
to_sparse:sparse_dim,default topk:default,values transpose:int transpose_copy:int,int_out trapezoid:x,dx trapz:x,dx
triangular_solve:default,X true_divide:Tensor,Scalar,out true_divide_:Tensor,Scalar unbind:int unbind_copy:int,int_out
unflatten:int unsafe_split:Tensor,Tensor_out values:default,Tensor var:default,dim,correction,correction_out,out
var_mean:default,dim,correction,correction_out view:default,dtype view_copy:default,dtype,out,dtype_out
vsplit:int,array where:self,ScalarOther,ScalarSelf,Scalar,default,self_out
xlogy:Tensor,Scalar_Other,Scalar_Self,OutTensor,OutScalar_Self,OutScalar_Other xlogy_:Tensor,Scalar_Other
"""
