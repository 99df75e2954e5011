//! Built-in animations, made from formulas.
