//! Statements that are sent together: those that need not wait for each other's results take one round trip.

use std::borrow::Cow;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

use futures_util::future::maybe_done;
use futures_util::{FutureExt, TryStreamExt};
use tokio_postgres::{Row, Statement};

use super::pool::Object;
use crate::value::OwnedValue;

/// Statements that wait to be sent. Twenty or so fit into one packet, and more are no faster.
const QUEUED_MAX: usize = 24;

/// Something to send.
pub(super) enum Step {
    /// Statements without parameters and results.
    Text(Cow<'static, str>),
    Statement {
        sql: &'static str,
        params: Vec<OwnedValue>,
        purpose: Purpose,
    },
    /// A statement that takes a list for each parameter: see [`RowStatement`](crate::RowStatement).
    Rows {
        sql: &'static str,
        key: Option<String>,
        columns: Vec<Vec<OwnedValue>>,
        purpose: Purpose,
    },
}

/// Who takes the result of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The check at the beginning of a transaction.
    Check,
    /// Whoever has the number.
    Numbered(usize),
    /// As `Numbered`, of a statement that changes something.
    Change(usize),
    /// The commit, which learns the number of the transaction.
    Commit,
    Nobody,
}

/// What a statement returned.
#[derive(Default)]
pub(super) struct Output {
    pub rows: Vec<Row>,
    pub changed: u64,
}

/// The results of steps, in their order.
pub(super) type Outputs = Vec<(Purpose, Result<Output, tokio_postgres::Error>)>;

/// Statements that wait to be sent, and results that wait to be taken.
#[derive(Default)]
pub(super) struct Pipeline {
    queued: Vec<Step>,
    /// How many of them were queued before the mark.
    marked: usize,
    is_sent_since_mark: bool,
    outputs: Vec<Option<Output>>,
}

impl Pipeline {
    pub fn is_empty(&self) -> bool {
        self.queued.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.queued.len() >= QUEUED_MAX
    }

    pub fn push(&mut self, step: Step) {
        self.queued.push(step);
    }

    /// Adds a step whose result is taken by the number.
    pub fn push_numbered(&mut self, step: impl FnOnce(usize) -> Step) -> usize {
        let number = self.outputs.len();
        self.outputs.push(None);
        self.push(step(number));
        number
    }

    pub fn take_queued(&mut self) -> Vec<Step> {
        (self.marked, self.is_sent_since_mark) = (0, true);
        std::mem::take(&mut self.queued)
    }

    /// From here on, statements belong to somebody else: nobody takes the results of those before.
    pub fn mark(&mut self) {
        for step in &mut self.queued {
            if let Step::Statement { purpose, .. } | Step::Rows { purpose, .. } = step
                && *purpose != Purpose::Check
            {
                *purpose = Purpose::Nobody;
            }
        }
        self.outputs.clear();
        (self.marked, self.is_sent_since_mark) = (self.queued.len(), false);
    }

    pub fn is_sent_since_mark(&self) -> bool {
        self.is_sent_since_mark
    }

    /// Removes what was queued after the mark and is not sent yet.
    pub fn remove_unmarked(&mut self) {
        self.queued.truncate(self.marked);
    }

    pub fn keep(&mut self, number: usize, output: Output) {
        self.outputs[number] = Some(output);
    }

    /// The result of a statement that was sent. Nothing if it was not, or has been taken.
    pub fn take(&mut self, number: usize) -> Option<Output> {
        self.outputs.get_mut(number)?.take()
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Sends all steps at once, and waits for all results. Statements are prepared before: one that is not yet would overtake
/// none, but be overtaken by those after it.
pub(super) async fn send(object: &Object, steps: Vec<Step>) -> Result<Outputs, tokio_postgres::Error> {
    let mut prepared = Vec::with_capacity(steps.len());
    for step in steps {
        prepared.push(match step {
            Step::Text(text) => (Purpose::Nobody, Prepared::Text(text)),
            Step::Statement { sql, params, purpose } => {
                (purpose, Prepared::Statement(object.prepare_cached(sql).await?, params))
            }
            Step::Rows { sql, columns, purpose, .. } => {
                let lists = columns.into_iter().map(OwnedValue::List).collect();
                (purpose, Prepared::Statement(object.prepare_cached(sql).await?, lists))
            }
        });
    }
    let running = prepared.into_iter().map(|(purpose, step)| (purpose, maybe_done(Box::pin(run(object, step)))));
    let mut running: Vec<_> = running.collect();
    poll_fn(|context| {
        for (_, step) in &mut running {
            let _ = step.poll_unpin(context);
        }
        Poll::Ready(())
    })
    .await;
    // Results come in the order of the steps, so each is waited for alone.
    let mut outputs = Vec::with_capacity(running.len());
    for (purpose, mut step) in running {
        (&mut step).await;
        outputs.push((purpose, Pin::new(&mut step).take_output().expect("it has ended, and nobody else takes it")));
    }
    Ok(outputs)
}

enum Prepared {
    Text(Cow<'static, str>),
    Statement(Statement, Vec<OwnedValue>),
}

/// The first poll sends the step, so that steps are sent in the order in which they are polled first.
async fn run(object: &Object, step: Prepared) -> Result<Output, tokio_postgres::Error> {
    match step {
        Prepared::Text(text) => object.batch_execute(&text).await.map(|()| Output::default()),
        Prepared::Statement(statement, params) => {
            let mut stream = pin!(object.query_raw(&statement, params).await?);
            let mut rows = Vec::new();
            while let Some(row) = stream.try_next().await? {
                rows.push(row);
            }
            Ok(Output { rows, changed: stream.rows_affected().unwrap_or_default() })
        }
    }
}
