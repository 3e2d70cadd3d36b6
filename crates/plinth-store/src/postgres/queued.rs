//! Statements that wait to be sent with the next one, and their results.

use std::time::Instant;

use super::batch_link::{Delivery, Submission};
use super::client::{Client, Link};
use super::pipeline::{self, Output, Purpose, Step};
use crate::{CounterUse, DbError, Effect, FromRow, InvalidationScope, Row, Value};

impl Client {
    /// Sends everything that waits, and keeps the results.
    pub(super) async fn flush(&mut self) -> Result<(), DbError> {
        let steps = self.pipeline.take_queued();
        if steps.is_empty() {
            return Ok(());
        }
        if let Link::Batch(link) = &self.link {
            let (uses_counters, has_changed) = (self.write.uses_counters, self.write.has_changed);
            let Delivery { outputs, webhooks } = link.submit(Submission { steps, uses_counters, has_changed }).await?;
            self.write.webhooks = webhooks.filter(|_| !self.write.declared.changes_rights());
            return outputs.into_iter().try_for_each(|(purpose, output)| self.take_output(purpose, output));
        }
        let outputs = self.run(async |object| pipeline::send(object, steps).await).await?;
        self.write.begun.get_or_insert_with(Instant::now);
        for (purpose, output) in outputs {
            let output = output.map_err(|error| self.fail(error.into()))?;
            self.take_output(purpose, output)?;
        }
        Ok(())
    }

    /// Sends what begins the transaction, and the statements of the members of a batch. Returns the results of each member.
    pub(super) async fn flush_members(
        &mut self,
        members: Vec<Vec<Step>>,
    ) -> Result<Vec<Vec<(Purpose, Output)>>, DbError> {
        let mut steps = self.pipeline.take_queued();
        let (first, counts) = (steps.len(), members.iter().map(Vec::len).collect::<Vec<_>>());
        steps.extend(members.into_iter().flatten());
        let outputs = self.run(async |object| pipeline::send(object, steps).await).await?;
        self.write.begun.get_or_insert_with(Instant::now);
        let mut outputs = outputs.into_iter();
        for (purpose, output) in outputs.by_ref().take(first) {
            let output = output.map_err(|error| self.fail(error.into()))?;
            self.take_output(purpose, output)?;
        }
        let mut next = |count| {
            let outputs = outputs.by_ref().take(count);
            let outputs = outputs.map(|(purpose, output)| output.map(|output| (purpose, output)));
            outputs.collect::<Result<Vec<_>, _>>().map_err(|error| self.fail(error.into()))
        };
        counts.into_iter().map(&mut next).collect()
    }

    fn take_output(&mut self, purpose: Purpose, output: Output) -> Result<(), DbError> {
        match purpose {
            Purpose::Check => self.begun(&output)?,
            Purpose::Numbered(number) => self.pipeline.keep(number, output),
            Purpose::Change(number) => {
                self.write.has_changed |= output.changed > 0;
                self.pipeline.keep(number, output);
            }
            Purpose::Nobody => {}
        }
        Ok(())
    }

    /// Sends a statement later, with the next one whose result is needed; returns the number of its result.
    pub async fn queue(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        counters: CounterUse,
    ) -> Result<usize, DbError> {
        self.queue_as(sql, params, (counters, Purpose::Numbered)).await
    }

    pub(super) async fn queue_as(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        (counters, purpose): (CounterUse, fn(usize) -> Purpose),
    ) -> Result<usize, DbError> {
        if self.pipeline.is_full() {
            self.flush().await?;
        }
        self.write.uses_counters |= counters == CounterUse::Any;
        let params = params.iter().map(|value| value.into_owned()).collect();
        Ok(self.pipeline.push_numbered(sql, params, purpose))
    }

    /// As [`Client::queue`], for statements that change something.
    pub async fn queue_change(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        declared: (Effect, InvalidationScope),
        counters: CounterUse,
    ) -> Result<usize, DbError> {
        self.declare(declared)?;
        self.queue_as(sql, params, (counters, Purpose::Change)).await
    }

    pub(super) async fn output(&mut self, number: usize) -> Result<Output, DbError> {
        // What was sent after it can still wait.
        if let Some(output) = self.pipeline.take(number) {
            return Ok(output);
        }
        self.flush().await?;
        self.pipeline.take(number).ok_or(DbError::NoRow)
    }

    /// The rows of a statement that was queued.
    pub async fn queued_rows<R: FromRow>(&mut self, number: usize) -> Result<Vec<R>, DbError> {
        let Output { rows, .. } = self.output(number).await?;
        rows.iter().map(|row| R::from_row(&Row::Postgres(row))).collect()
    }

    /// How many rows a statement that was queued has changed.
    pub async fn queued_count(&mut self, number: usize) -> Result<u64, DbError> {
        Ok(self.output(number).await?.changed)
    }
}
