//! The service on PostgreSQL, compared with programs that send it one statement for each request.

mod measured;
mod reads;
mod traffic;
mod writes;

use anyhow::Result;

use super::group::RowGroup;
use crate::harness::Context;
use crate::harness::postgres::Postgres;
use crate::results::Results;

pub const READS: RowGroup = RowGroup {
    name: "postgres-reads",
    about: "GET one ref on PostgreSQL, 64 clients, compared with bare axum and one query",
    run: |context| with_postgres(context, reads::rows),
};

pub const WRITES: RowGroup = RowGroup {
    name: "postgres-writes",
    about: "durable creation of refs and comments on PostgreSQL, in one and in 100 repositories, 64 clients, compared with bare axum \
            and one insert",
    run: |context| with_postgres(context, writes::rows),
};

pub const TRAFFIC: RowGroup = RowGroup {
    name: "postgres-traffic",
    about: "the REST part of the row `traffic` on PostgreSQL, compared with bare axum",
    run: |context| with_postgres(context, traffic::rows),
};

fn with_postgres(context: &Context, rows: fn(&Context, &Postgres) -> Result<Results>) -> Result<Results> {
    match Postgres::find()? {
        Some(postgres) => rows(context, &postgres),
        None => {
            let reason = "no PostgreSQL is given: `cargo xtask bench` starts one, or set PLINTH_TEST_POSTGRES";
            Ok(Results { skipped: vec![reason.into()], ..Results::default() })
        }
    }
}
