//! Small and sparse systems of equations, each kind solved in one place.
//!
//! | the problem                                              | solved by                       |
//! | -------------------------------------------------------- | ------------------------------- |
//! | a rotation or rigid motion between point sets            | [`procrustes`]: [`polar`]       |
//! | weights that sum to one, none negative                   | `nnls`                          |
//! | weights that sum to one, bounded below or not at all     | `bounded`                       |
//! | eigenvectors of a matrix of tens of rows                 | `jacobi`: [`symmetric_eigen3`]  |
//! | eigenvectors of a matrix of hundreds of rows             | `tridiagonal`                   |
//! | the strongest few of them                                | `subspace`                      |
//! | normal equations of tens of unknowns                     | `dense`, by Cholesky factors    |
//! | equations of a mesh                                      | [`sparse`], by Cholesky factors |
//! | the same, again and again for three right-hand sides     | `substitution`                  |
//!
//! Numbers in, numbers out: nothing here knows of meshes, bones or frames. All of it gives the same bits for any
//! number of threads.

pub(crate) mod bounded;
pub(crate) mod dense;
pub(crate) mod jacobi;
pub(crate) mod nnls;
pub mod procrustes;
pub mod sparse;
pub(crate) mod subspace;
pub(crate) mod substitution;
pub(crate) mod tridiagonal;

pub use jacobi::symmetric_eigen3;
pub use procrustes::polar;
