//! The steps of the members of a batch, in which statements have the rows of several members.

use std::collections::{BTreeSet, HashMap};

use super::Isolation;
use super::pipeline::{Output, Purpose, Step};
use crate::DbError;

/// Which results are whose.
pub(super) struct MergedSteps(Vec<Merged>);

/// The statements of a member.
struct Merged {
    /// Where the first of them is.
    position: usize,
    origin: Origin,
}

/// The results of a member.
pub(super) struct MemberOutputs {
    /// Its statements ran before those of members with a greater one.
    pub position: usize,
    pub outputs: Vec<(Purpose, Output)>,
}

/// Where the results of a member come from.
enum Origin {
    /// So many results of its own.
    Own(usize),
    /// The rows with this number of the statements of a group.
    Rows { group: usize, number: i64, purposes: Vec<Purpose> },
}

/// Members that send rows of the same statements.
struct Group {
    /// Its statements begin here.
    first: usize,
    rows: i64,
    keys: BTreeSet<String>,
}

impl MergedSteps {
    /// Which of the members runs first does not matter: they wait at the same time, so they can run in any order.
    pub fn new(members: Vec<Vec<Step>>) -> (Vec<Step>, Self) {
        let (mut steps, mut all) = (Vec::new(), Vec::with_capacity(members.len()));
        let (mut groups, mut by_statements) = (Vec::<Group>::new(), HashMap::<Vec<&'static str>, usize>::new());
        for mut member in members {
            let can_share = |(statements, keys): &(Vec<&'static str>, BTreeSet<String>)| {
                let group = by_statements.get(statements).map(|group| &groups[*group]);
                !group.is_some_and(|group| keys.iter().any(|key| depends_on(&group.keys, key)))
            };
            let Some((statements, keys)) = statements_of(&member).filter(can_share) else {
                // After the group, if it depends on one of its rows.
                all.push(Merged { position: steps.len(), origin: Origin::Own(member.len()) });
                steps.append(&mut member);
                continue;
            };
            let group = *by_statements.entry(statements).or_insert_with(|| {
                groups.push(Group { first: steps.len(), rows: 0, keys: BTreeSet::new() });
                groups.len() - 1
            });
            let purposes = member.iter_mut().map(take_purpose).collect();
            let Group { first, rows, keys: known } = &mut groups[group];
            *rows += 1;
            known.extend(keys);
            all.push(Merged { position: *first, origin: Origin::Rows { group, number: *rows, purposes } });
            if *rows == 1 {
                steps.append(&mut member);
            } else {
                steps[*first..].iter_mut().zip(member).for_each(|(all, more)| append(all, more));
            }
        }
        (steps, Self(all))
    }

    /// The results of each member.
    pub fn split(self, outputs: Vec<(Purpose, Output)>) -> Result<Vec<MemberOutputs>, DbError> {
        let mut outputs = outputs.into_iter();
        let mut groups = Vec::<Vec<HashMap<i64, Output>>>::new();
        let mut of_members = Vec::with_capacity(self.0.len());
        for Merged { position, origin } in self.0 {
            let outputs = match origin {
                Origin::Own(count) => outputs.by_ref().take(count).collect(),
                Origin::Rows { group, number, purposes } => {
                    if group == groups.len() {
                        let of_group = outputs.by_ref().take(purposes.len());
                        groups.push(of_group.map(|(_, output)| by_number(output)).collect::<Result<_, _>>()?);
                    }
                    let own = groups[group].iter_mut().map(|rows| rows.remove(&number).unwrap_or_default());
                    purposes.into_iter().zip(own).collect()
                }
            };
            of_members.push(MemberOutputs { position, outputs });
        }
        Ok(of_members)
    }
}

/// Which isolation the steps of members need.
pub(super) fn isolation_for(members: &[Vec<Step>]) -> Isolation {
    match members.iter().flatten().all(|step| matches!(step, Step::Rows { .. })) {
        true => Isolation::Snapshot,
        false => Isolation::Serializable,
    }
}

/// Whether one of the paths is this one, above it or below it.
fn depends_on(paths: &BTreeSet<String>, path: &str) -> bool {
    let is_above = || path.match_indices('/').any(|(end, _)| paths.contains(&path[..end]));
    let below = format!("{path}/");
    let is_below = || paths.range(below.clone()..).next().is_some_and(|next| next.starts_with(&below));
    paths.contains(path) || is_above() || is_below()
}

/// The statements of a member that sends only rows, and the keys of these.
fn statements_of(member: &[Step]) -> Option<(Vec<&'static str>, BTreeSet<String>)> {
    let of_step = |step: &Step| match step {
        Step::Rows { sql, key, .. } => Some((*sql, key.clone())),
        Step::Text(_) | Step::Statement { .. } => None,
    };
    let (statements, keys): (Vec<_>, Vec<_>) =
        member.iter().map(of_step).collect::<Option<Vec<_>>>()?.into_iter().unzip();
    (!statements.is_empty()).then(|| (statements, keys.into_iter().flatten().collect()))
}

fn take_purpose(step: &mut Step) -> Purpose {
    match step {
        Step::Rows { purpose, .. } | Step::Statement { purpose, .. } => std::mem::replace(purpose, Purpose::Nobody),
        Step::Text(_) => Purpose::Nobody,
    }
}

fn append(all: &mut Step, more: Step) {
    if let (Step::Rows { columns: all, .. }, Step::Rows { columns: more, .. }) = (all, more) {
        all.iter_mut().zip(more).for_each(|(all, more)| all.extend(more));
    }
}

fn by_number(output: Output) -> Result<HashMap<i64, Output>, DbError> {
    let mut by_number = HashMap::<i64, Output>::new();
    for row in output.rows {
        let of_number = by_number.entry(row.try_get("row_number")?).or_default();
        of_number.rows.push(row);
        of_number.changed += 1;
    }
    Ok(by_number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::OwnedValue;

    fn rows(sql: &'static str, key: Option<&str>, value: i64) -> Step {
        let columns = vec![vec![OwnedValue::Integer(value)]];
        Step::Rows { sql, key: key.map(str::to_owned), columns, purpose: Purpose::Change(0) }
    }

    fn statement() -> Step {
        Step::Statement { sql: "statement", params: vec![], purpose: Purpose::Numbered(0) }
    }

    fn shown(steps: &[Step]) -> Vec<String> {
        let shown = |step: &Step| match step {
            Step::Rows { sql, columns, .. } => format!("{sql} {columns:?}"),
            Step::Statement { sql, .. } => (*sql).to_owned(),
            Step::Text(text) => text.to_string(),
        };
        steps.iter().map(shown).collect()
    }

    #[test]
    fn only_rows_need_no_serializable_transaction() {
        let (only_rows, mixed) = (vec![rows("a", None, 1)], vec![rows("a", None, 1), statement()]);
        assert_eq!(isolation_for(&[only_rows, vec![]]), Isolation::Snapshot);
        assert_eq!(isolation_for(&[vec![rows("a", None, 1)], mixed]), Isolation::Serializable);
    }

    #[test]
    fn paths_depend_on_those_above_and_below() {
        let paths = ["1/a/b", "1/a.c", "1/d"].map(str::to_owned).into();
        for (path, expected) in [
            ("1/a/b", true),
            ("1/a", true),
            ("1/a/b/c", true),
            ("1/a/c", false),
            ("1/a.b", false),
            ("2/d", false),
            ("1/d/e", true),
        ] {
            assert_eq!(depends_on(&paths, path), expected, "{path}");
        }
    }

    #[test]
    fn members_with_the_same_statements_and_other_keys_share_them() {
        let members = vec![
            vec![rows("a", Some("1"), 1), rows("b", None, 2)],
            vec![statement()],
            vec![rows("a", Some("2"), 3), rows("b", None, 4)],
            vec![rows("a", Some("1"), 5), rows("b", None, 6)],
            vec![rows("a", Some("3"), 7)],
            vec![rows("a", Some("3/4"), 9)],
            vec![rows("a", Some("3.4"), 10)],
            vec![rows("a", Some("4"), 8), statement()],
            vec![],
        ];
        let (steps, merged) = MergedSteps::new(members);
        let lists = |sql, values: &[i64]| {
            format!("{sql} {:?}", [values.iter().map(|value| OwnedValue::Integer(*value)).collect::<Vec<_>>()])
        };
        let expected = [
            lists("a", &[1, 3]),
            lists("b", &[2, 4]),
            "statement".into(),
            lists("a", &[5]),
            lists("b", &[6]),
            lists("a", &[7, 10]),
            lists("a", &[9]),
            lists("a", &[8]),
            "statement".into(),
        ];
        assert_eq!(shown(&steps), expected);
        // Without rows, nobody has results; each member has as many outputs as it has sent steps.
        let outputs = steps.iter().map(|_| (Purpose::Nobody, Output::default())).collect();
        let split = merged.split(outputs).expect("there are no rows");
        assert_eq!(split.iter().map(|member| member.outputs.len()).collect::<Vec<_>>(), [2, 1, 2, 2, 1, 1, 1, 2, 0]);
        assert_eq!(split[2].outputs[0].0, Purpose::Change(0));
        // Those that share statements run at the same time, and one that depends on them later.
        assert_eq!(split.iter().map(|member| member.position).collect::<Vec<_>>(), [0, 2, 0, 3, 5, 6, 5, 7, 9]);
    }
}
