//! Leases of rate limits: how much of what a caller may do in a window this node admits without asking again.
//!
//! Windows begin and end by the clock of the database, so that nodes with different clocks agree.

use std::time::Duration;

use super::Engine;
use super::client::Client;
use crate::{DbError, Lease, LeaseRequest, ReturnedLease};
use plinth_base::error::{Error, Result};

/// Part of what is left that a lease gets at most, so that little is left with nodes that do not use it.
const SHARE_OF_REST: i64 = 8;

/// Rows are locked in the order of their keys, so that nodes do not wait for each other in a circle.
const LEASE: &str = "with input as (
        select i.*, cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now
        from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
            as i(key, length, wanted, needed, budget))
    insert into rate_limit_window as w (key, ends_at, leased, granted)
    select key, now + length, g, g
    from (select *, case when budget < needed then 0 else greatest(needed, least(wanted, budget / $6)) end as g from input) fresh
    order by key
    on conflict (key) do update set (ends_at, leased, granted) = (
        select case when w.ends_at <= i.now then excluded.ends_at else w.ends_at end, base + g, g
        from input i
        cross join lateral (select case when w.ends_at <= i.now then 0 else w.leased end as base) b
        cross join lateral (select case when i.budget - base < i.needed then 0
            else greatest(i.needed, least(i.wanted, (i.budget - base) / $6)) end as g) grants
        where i.key = excluded.key)
    returning key, granted, leased, ends_at, ends_at - cast(extract(epoch from clock_timestamp()) * 1000 as bigint)";

const GIVE_BACK: &str = "update rate_limit_window w set leased = greatest(0, w.leased - i.unused)
    from unnest($1::text[], $2::bigint[], $3::bigint[]) as i(key, ends_at, unused)
    where w.key = i.key and w.ends_at = i.ends_at";

const FIND: &str = "select leased, ends_at, ends_at - cast(extract(epoch from clock_timestamp()) * 1000 as bigint)
    from rate_limit_window where key = $1";

impl Engine {
    /// Leases of different keys, in any order.
    pub async fn lease(&self, requests: &[LeaseRequest]) -> Result<Vec<Lease>> {
        let column = |of: fn(&LeaseRequest) -> i64| requests.iter().map(of).collect::<Vec<_>>();
        let keys: Vec<&str> = requests.iter().map(|request| request.key.as_str()).collect();
        let (lengths, wanted) = (column(|request| request.milliseconds), column(|request| request.wanted));
        let (needed, budgets) = (column(|request| request.needed), column(|request| request.limit));
        let mut client = self.begin_unordered().await?;
        let params: [&(dyn tokio_postgres::types::ToSql + Sync); 6] =
            [&keys, &lengths, &wanted, &needed, &budgets, &SHARE_OF_REST];
        let rows = client.query_raw(LEASE, &params).await?;
        client.end("commit").await?;
        let leases = rows.iter().map(|row| {
            let ends_in: i64 = row.try_get(4)?;
            Ok(Lease {
                key: row.try_get(0)?,
                granted: row.try_get(1)?,
                leased: row.try_get(2)?,
                ends_at: row.try_get(3)?,
                ends_in: Duration::from_millis(u64::try_from(ends_in).unwrap_or_default()),
            })
        });
        Ok(leases.collect::<Result<_, tokio_postgres::Error>>().map_err(DbError::from)?)
    }

    /// Gives back what was leased and is not used, if its window has not ended.
    pub async fn give_back(&self, unused: &[ReturnedLease]) -> Result<()> {
        let keys: Vec<&str> = unused.iter().map(|lease| lease.key.as_str()).collect();
        let ends: Vec<i64> = unused.iter().map(|lease| lease.ends_at).collect();
        let counts: Vec<i64> = unused.iter().map(|lease| lease.unused).collect();
        let mut client = self.begin_unordered().await?;
        client.query_raw(GIVE_BACK, &[&keys, &ends, &counts]).await?;
        client.end("commit").await?;
        Ok(())
    }

    /// How much all nodes have leased in the current window.
    pub async fn find_window(&self, key: &str) -> Result<Option<Lease>> {
        let rows = self.client().await?.query_raw(FIND, &[&key]).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let (leased, ends_at, ends_in): (i64, i64, i64) = (
            row.try_get(0).map_err(DbError::from)?,
            row.try_get(1).map_err(DbError::from)?,
            row.try_get(2).map_err(DbError::from)?,
        );
        let current = u64::try_from(ends_in).ok().filter(|left| *left > 0);
        Ok(current.map(|left| Lease {
            key: key.to_owned(),
            granted: 0,
            leased,
            ends_at,
            ends_in: Duration::from_millis(left),
        }))
    }

    /// A transaction whose one statement waits for locks and sees what others have committed meanwhile.
    pub(super) async fn begin_unordered(&self) -> Result<Client> {
        let term = self.term()?;
        let mut client = self.client().await?;
        if term.as_ref().is_some_and(|term| !term.is_on(client.server())) {
            return Err(Error::Unavailable("this node does not own the database on the new server yet".into()));
        }
        client.begin_unordered().await?;
        Ok(client)
    }
}
