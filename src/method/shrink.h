/* Proximal operators of penalties on one coefficient. */
#ifndef SPGM_METHOD_SHRINK_H
#define SPGM_METHOD_SHRINK_H

/* argmin over x of (x - v)^2 / 2 + lambda |x| */
double shrink_soft(double v, double lambda);
/* The largest |v| that shrink_soft maps to 0. */
double shrink_soft_threshold(double lambda);

/*
 * argmin over x of (x - v)^2 / 2 + lambda sqrt|x|, in closed form: 0 for |v| <= 3/2 lambda^(2/3), else
 * 2/3 v (1 + cos(2/3 (pi - acos(lambda / 4 (|v| / 3)^(-3/2))))).
 *
 *     Z. Xu, X. Chang, F. Xu, H. Zhang, L1/2 regularization: a thresholding representation theory and a fast solver,
 *     IEEE Trans. Neural Networks and Learning Systems 23(7), 2012.
 */
double shrink_half(double v, double lambda);
double shrink_half_threshold(double lambda);

#endif
