//! The studio: a session over the library for people at a screen, and the server that shows it in a browser.
//!
//! ```text
//! page ──socket──> server ──> Session ──> the library
//!                    │           ▲
//!                    └──> jobs ──┘   long work, beside everything else
//! ```
//!
//! | room        | does                                                                       |
//! | ----------- | -------------------------------------------------------------------------- |
//! | [`session`] | everything a page can ask for, one plain action at a time; knows no network |
//! | [`studio`]  | one session for all tabs, and what tabs are told                            |
//! | [`act`]     | doing what tabs ask for, in the background where it takes long              |
//! | [`server`]  | who may ask, routes, sockets, files                                         |
//! | [`autosave`] | what is there after a kill                                                 |
//! | [`page`]    | the page itself, built in or from a folder                                  |

pub mod act;
pub mod autosave;
mod background;
mod jobs;
mod lock;
pub mod page;
pub mod server;
pub mod session;
pub mod studio;
mod sync;
#[cfg(test)]
mod types;

pub use page::Page;
pub use server::{Server, ServerOptions};
pub use session::{Refusal, Session};
pub use studio::Studio;
