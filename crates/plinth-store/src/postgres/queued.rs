//! Statements that wait to be sent with the next one, and their results.

use std::time::Instant;

use super::batch_link::{Delivery, Submission};
use super::client::{Client, Link};
use super::merged_steps::{MemberOutputs, MergedSteps};
use super::pipeline::{self, Output, Purpose, Step};
use crate::effect::Declared;
use crate::{DbError, DeferredUse, FromRow, Row, RowStatement, Value};

impl Client {
    /// Sends everything that waits, and keeps the results.
    pub(super) async fn flush(&mut self) -> Result<(), DbError> {
        let steps = self.pipeline.take_queued();
        if steps.is_empty() {
            return Ok(());
        }
        if let Link::Batch(link) = &self.link {
            let (uses_deferred, has_changed) = (self.write.uses_deferred, self.write.has_changed);
            let Delivery { outputs, webhooks } = link.submit(Submission { steps, uses_deferred, has_changed }).await?;
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
    pub(super) async fn flush_members(&mut self, members: Vec<Vec<Step>>) -> Result<Vec<MemberOutputs>, DbError> {
        let mut steps = self.pipeline.take_queued();
        let first = steps.len();
        let (of_members, merged) = MergedSteps::new(members);
        steps.extend(of_members);
        let outputs = self.run(async |object| pipeline::send(object, steps).await).await?;
        self.write.begun.get_or_insert_with(Instant::now);
        let mut outputs = outputs.into_iter();
        for (purpose, output) in outputs.by_ref().take(first) {
            let output = output.map_err(|error| self.fail(error.into()))?;
            self.take_output(purpose, output)?;
        }
        let outputs = outputs.map(|(purpose, output)| output.map(|output| (purpose, output)));
        let outputs = outputs.collect::<Result<Vec<_>, _>>().map_err(|error| self.fail(error.into()))?;
        merged.split(outputs)
    }

    fn take_output(&mut self, purpose: Purpose, output: Output) -> Result<(), DbError> {
        match purpose {
            Purpose::Check => self.begun(&output)?,
            Purpose::Numbered(number) => self.pipeline.keep(number, output),
            Purpose::Change(number) => {
                self.write.has_changed |= output.changed > 0;
                self.pipeline.keep(number, output);
            }
            Purpose::Commit | Purpose::Nobody => {}
        }
        Ok(())
    }

    /// Sends a statement later, with the next one whose result is needed; returns the number of its result.
    pub async fn queue(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        deferred: DeferredUse,
    ) -> Result<usize, DbError> {
        self.queue_as(sql, params, (deferred, Purpose::Numbered)).await
    }

    pub(super) async fn queue_as(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        (deferred, purpose): (DeferredUse, fn(usize) -> Purpose),
    ) -> Result<usize, DbError> {
        if self.pipeline.is_full() {
            self.flush().await?;
        }
        self.write.uses_deferred |= deferred == DeferredUse::Any;
        let params = params.iter().map(|value| value.into_owned()).collect();
        Ok(self.pipeline.push_numbered(|number| Step::Statement { sql, params, purpose: purpose(number) }))
    }

    /// As [`Client::queue`], for one row.
    pub async fn queue_row(&mut self, row: RowStatement<'_>) -> Result<usize, DbError> {
        self.queue_row_as(row, Purpose::Numbered).await
    }

    async fn queue_row_as(&mut self, row: RowStatement<'_>, purpose: fn(usize) -> Purpose) -> Result<usize, DbError> {
        if self.pipeline.is_full() {
            self.flush().await?;
        }
        let RowStatement { sql, key, params } = row;
        let columns = params.iter().map(|value| vec![value.into_owned()]).collect();
        Ok(self.pipeline.push_numbered(|number| Step::Rows { sql, key, columns, purpose: purpose(number) }))
    }

    /// As [`Client::queue_change`], for one row.
    pub async fn queue_changed_row(&mut self, row: RowStatement<'_>, declared: Declared) -> Result<usize, DbError> {
        self.declare(row.sql, declared)?;
        self.queue_row_as(row, Purpose::Change).await
    }

    /// As [`Client::queue`], for statements that change something.
    pub async fn queue_change(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        declared: Declared,
        deferred: DeferredUse,
    ) -> Result<usize, DbError> {
        self.declare(sql, declared)?;
        self.queue_as(sql, params, (deferred, Purpose::Change)).await
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
