//! Steps of an elastic body whose held points are moved.

use glam::{DMat3, DVec3};

use super::network::Network;
use super::parameters::{CellShape, Parameters};
use super::tuning::TUNING;
use crate::solve::dense::{cholesky, cholesky_solve_rows, dot};
use crate::solve::procrustes::{nearest_rotation, outer};

/// The equations of a step, ready to be solved.
pub(super) struct System<'a> {
    network: &'a Network,
    parameters: &'a Parameters,
    /// Stiffness of each tie.
    ties: Vec<f64>,
    /// Edges at rest, for each tie.
    edges: Vec<DVec3>,
    /// Inverse of the matrix over knots, row by row.
    inverse: Vec<f64>,
}

/// A body on its way.
#[derive(Clone)]
pub(super) struct State {
    /// Where points are: knots first.
    now: Vec<DVec3>,
    /// Where they were a step before.
    before: Vec<DVec3>,
    /// Where the motion had them at this step.
    moved: Vec<DVec3>,
    rotations: Vec<DMat3>,
    edges: Vec<DVec3>,
    right: [Vec<f64>; 3],
}

impl<'a> System<'a> {
    /// `None` where numbers are so far apart that the matrix has no inverse.
    pub fn new(network: &'a Network, parameters: &'a Parameters) -> Option<Self> {
        let n = network.knots.len();
        let stiffness = &parameters.stiffness;
        let mut ties = Vec::with_capacity(network.neighbours.len());
        let mut edges = Vec::with_capacity(network.neighbours.len());
        let mut matrix = vec![0.0; n * n];
        for i in 0..network.len() {
            for (_, j) in network.around(i) {
                let tie = (stiffness[i] * stiffness[j]).sqrt();
                ties.push(tie);
                edges.push(network.rest[i] - network.rest[j]);
                if i < n {
                    matrix[i * n + i] += (1.0 + parameters.damping) * tie;
                    if j < n {
                        matrix[i * n + j] -= (1.0 + parameters.damping) * tie;
                    }
                }
            }
        }
        for i in 0..n {
            matrix[i * n + i] += network.masses[i] + parameters.hold;
        }
        let mut inverse = vec![0.0; n * n];
        (0..n).for_each(|i| inverse[i * n + i] = 1.0);
        if !cholesky(&mut matrix, n) {
            return None;
        }
        cholesky_solve_rows(&matrix, n, &mut inverse, n);
        Some(Self { network, parameters, ties, edges, inverse })
    }

    /// How many knots there are.
    pub fn knots(&self) -> usize {
        self.network.knots.len()
    }

    /// A body that was at `before` and is at `now`, where the motion has it at `moved`.
    pub fn state(&self, before: &[DVec3], now: &[DVec3], moved: &[DVec3]) -> State {
        State {
            now: now.to_vec(),
            before: before.to_vec(),
            moved: moved.to_vec(),
            rotations: vec![DMat3::IDENTITY; self.network.len()],
            edges: self.edges.clone(),
            right: std::array::from_fn(|_| vec![0.0; self.network.knots.len()]),
        }
    }

    /// A body that hangs still where the motion has it at `moved`.
    pub fn at_rest(&self, moved: &[DVec3]) -> State {
        let mut state = self.state(moved, moved, moved);
        for _ in 0..TUNING.settling {
            // Without speed, steps only go downhill.
            state.before.clone_from(&state.now);
            self.step(&mut state, moved);
        }
        state.before.clone_from(&state.now);
        state
    }

    /// One step, at whose end the motion has the points at `moved`.
    pub fn step(&self, state: &mut State, moved: &[DVec3]) {
        let n = self.network.knots.len();
        if self.parameters.shape == CellShape::Moved {
            for i in 0..self.network.len() {
                self.network.around(i).for_each(|(at, j)| state.edges[at] = moved[i] - moved[j]);
            }
        }
        let mut next: Vec<DVec3> = moved.to_vec();
        for i in 0..n {
            next[i] += state.now[i] - state.moved[i];
        }
        for _ in 0..TUNING.turns {
            self.turn(state, &next);
            self.gather(state, moved);
            for i in 0..n {
                let row = &self.inverse[i * n..(i + 1) * n];
                next[i] = DVec3::from_array(std::array::from_fn(|axis| dot(row, &state.right[axis])));
            }
        }
        std::mem::swap(&mut state.before, &mut state.now);
        state.now = next;
        state.moved.copy_from_slice(moved);
    }

    /// The local part: how each cell is turned.
    fn turn(&self, state: &mut State, next: &[DVec3]) {
        for i in 0..self.network.len() {
            let mut cross = DMat3::ZERO;
            for (at, j) in self.network.around(i) {
                cross += outer((next[i] - next[j]) * self.ties[at], state.edges[at]);
            }
            // A cell that is flat or a line tells no turn: it keeps the one it had.
            if let Some(rotation) = nearest_rotation(cross) {
                state.rotations[i] = rotation;
            }
        }
    }

    /// The right-hand side of the global part.
    fn gather(&self, state: &mut State, moved: &[DVec3]) {
        let (n, damping) = (self.network.knots.len(), self.parameters.damping);
        for i in 0..n {
            let on = 2.0 * state.now[i] - state.before[i];
            let mut sum = self.network.masses[i] * on + self.parameters.hold * moved[i];
            for (at, j) in self.network.around(i) {
                let turned = 0.5 * (state.rotations[i] + state.rotations[j]) * state.edges[at];
                sum += self.ties[at] * (turned + damping * (state.now[i] - state.now[j]));
                if j >= n {
                    sum += (1.0 + damping) * self.ties[at] * moved[j];
                }
            }
            (0..3).for_each(|axis| state.right[axis][i] = sum[axis]);
        }
    }
}

impl State {
    /// How far knots are from where the motion has them.
    pub fn displacements(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.now.iter().zip(&self.moved).map(|(now, moved)| *now - *moved)
    }
}
