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
//! | [`studio`]  | one session for all tabs: jobs in the background, what tabs are told        |
//! | [`server`]  | who may ask, routes, sockets, files                                         |
//! | [`autosave`] | what is there after a kill                                                 |
//! | [`page`]    | the page itself, built in or from a folder                                  |

pub mod autosave;
mod jobs;
mod lock;
pub mod page;
mod report;
pub mod server;
pub mod session;
pub mod studio;

pub use page::Page;
pub use server::{Server, ServerOptions};
pub use session::{Refusal, Session};
pub use studio::Studio;
