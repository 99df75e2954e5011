//! Sockets: actions up; tables once, answers, states and news of jobs down.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;

use super::reply;
use super::shared::{Shared, beside};
use crate::act::Reply;
use crate::session::{Action, Answer, Refusal, Tables};

/// Bytes of the longest message from a page.
const LONGEST_MESSAGE: usize = 8 << 20;
/// Answers that wait for a tab to take them.
const MOST_ANSWERS: usize = 64;

/// Lets a tab in.
pub(crate) async fn connect(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    let upgrade = upgrade.max_message_size(LONGEST_MESSAGE).max_frame_size(LONGEST_MESSAGE);
    upgrade.on_upgrade(move |socket| async move {
        let tab = shared.studio.join();
        // An error is a tab that has gone.
        _ = talk(&shared, tab, socket).await;
        shared.studio.leave(tab);
    })
}

/// What goes down as answer to one message.
type Answered = (Option<Vec<u8>>, String);

async fn talk(shared: &Arc<Shared>, tab: u64, mut socket: WebSocket) -> Result<(), axum::Error> {
    let mut states = shared.studio.states();
    states.mark_changed();
    let mut news = shared.studio.news();
    let (tell, mut answers) = mpsc::channel::<Answered>(MOST_ANSWERS);
    let tables = json!({ "tables": Tables::of_library() }).to_string();
    socket.send(Message::Text(tables.into())).await?;
    loop {
        tokio::select! {
            message = socket.recv() => match message {
                None | Some(Ok(Message::Close(_))) => return Ok(()),
                Some(Ok(Message::Text(text))) => {
                    if let Some(answered) = heard(shared, tab, text, &tell).await {
                        send(&mut socket, answered).await?;
                    }
                }
                Some(Ok(Message::Binary(_))) => {
                    reply::log("a message", "it is binary");
                    let told = json!({ "id": null, "error": "messages are JSON text" }).to_string();
                    send(&mut socket, (None, told)).await?;
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Err(error)) => {
                    reply::log("a message", &error.to_string());
                    return Err(error);
                }
            },
            changed = states.changed() => {
                if changed.is_err() {
                    return Ok(());
                }
                let text = states.borrow_and_update().to_string();
                socket.send(Message::Text(text.into())).await?;
            }
            job = news.recv() => match job {
                Ok(text) => socket.send(Message::Text(text.to_string().into())).await?,
                // The state tells which jobs there still are.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return Ok(()),
            },
            Some(answered) = answers.recv() => send(&mut socket, answered).await?,
        }
    }
}

async fn send(socket: &mut WebSocket, (frame, text): Answered) -> Result<(), axum::Error> {
    if let Some(frame) = frame {
        socket.send(Message::Binary(Bytes::from(frame))).await?;
    }
    socket.send(Message::Text(text.into())).await
}

/// Does what a message asks for. None where the answer comes later, through `tell`.
async fn heard(
    shared: &Arc<Shared>,
    tab: u64,
    text: Utf8Bytes,
    tell: &mpsc::Sender<Answered>,
) -> Option<Answered> {
    let (id, action) = match parsed(&text) {
        Ok(parsed) => parsed,
        Err((id, why)) => return Some(answered(&id, &name_of(&text), Err(why))),
    };
    let asked = name_of(&text);
    let studio = shared.studio.clone();
    let replied = beside(move || Ok(studio.act(tab, action))).await;
    match replied {
        Err(why) => Some(answered(&id, &asked, Err(why))),
        Ok(Reply::Now(result)) => Some(answered(&id, &asked, result)),
        Ok(Reply::Later(result)) => {
            let tell = tell.clone();
            tokio::spawn(async move {
                let ended = result.await.unwrap_or_else(|_| Refusal::say("the work was given up"));
                // A tab that has gone needs no answer.
                _ = tell.send(answered(&id, &asked, ended)).await;
            });
            None
        }
    }
}

fn parsed(text: &str) -> Result<(Value, Action), (Value, Refusal)> {
    let refuse = |id: Value, why: String| (id, Refusal(why));
    let mut message: Value = serde_json::from_str(text)
        .map_err(|e| refuse(Value::Null, format!("the message is no JSON: {e}")))?;
    let Some(fields) = message.as_object_mut() else {
        return Err(refuse(Value::Null, "a message is an object with a field \"do\"".into()));
    };
    let id = fields.remove("id").unwrap_or_default();
    match serde_json::from_value(message) {
        Ok(action) => Ok((id, action)),
        Err(error) => Err(refuse(id, format!("the message is not understood: {error}"))),
    }
}

/// What an action is called, for the log.
fn name_of(text: &str) -> String {
    let message: Option<Value> = serde_json::from_str(text).ok();
    let name = message.as_ref().and_then(|m| m.get("do")?.as_str());
    name.unwrap_or("a message").to_owned()
}

fn answered(id: &Value, asked: &str, result: Result<Answer, Refusal>) -> Answered {
    match result {
        Ok(Answer { fields, frame }) => (frame, json!({ "id": id, "ok": fields }).to_string()),
        Err(why) => {
            reply::log(asked, &why.0);
            (None, json!({ "id": id, "error": why.0 }).to_string())
        }
    }
}
