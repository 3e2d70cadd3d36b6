//! A query as it is executed: one operation, with its variables replaced and its fragments expanded.

use std::collections::HashMap;

use graphql_parser::Pos;
use graphql_parser::query::{
    Definition, FragmentDefinition, OperationDefinition, Selection, SelectionSet, TypeCondition,
};
use serde_json::{Map, Value};

use super::body::QueryBody;
use super::errors::{QueryResult, invalid};
use super::nesting;
use super::variables::Variables;

/// A query for a hundred commits with all that a tool wants to know of their pull requests has 150 KiB and 6,000 fields.
const QUERY_BYTES_MAX: usize = 256 * 1024;
const FIELDS_MAX: usize = 20_000;
/// Fragments are expanded, so that one brace can stand for many.
const DEPTH_MAX: usize = 25;
/// The parser's errors contain the text that it did not expect.
const MESSAGE_CHARACTERS_MAX: usize = 300;

/// A field that is asked for.
#[derive(Debug)]
pub struct Field {
    /// Its name in the result.
    pub key: String,
    pub name: String,
    /// The type that an object must have to show this field; any if there is none.
    pub on_type: Option<String>,
    pub arguments: Map<String, Value>,
    pub fields: Vec<Field>,
    pub position: Pos,
}

impl Field {
    pub fn argument(&self, name: &str) -> Option<&Value> {
        self.arguments.get(name).filter(|value| !value.is_null())
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.argument(name)?.as_str()
    }

    pub fn number(&self, name: &str) -> Option<u64> {
        self.argument(name)?.as_u64()
    }

    /// A list, or one value that stands for a list of one.
    pub fn texts(&self, name: &str) -> Vec<&str> {
        match self.argument(name) {
            Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).collect(),
            Some(value) => value.as_str().into_iter().collect(),
            None => Vec::new(),
        }
    }
}

/// The fields of the operation that the body asks for.
pub fn parse(body: &QueryBody) -> QueryResult<Vec<Field>> {
    if body.query.len() > QUERY_BYTES_MAX {
        return Err(invalid(format!("Query has more than {QUERY_BYTES_MAX} bytes")));
    }
    // The parser recurses, so nothing deep may get there.
    if nesting::is_too_deep(&body.query) {
        return Err(invalid("Query is nested too deeply"));
    }
    let document =
        graphql_parser::parse_query::<&str>(&body.query).map_err(|error| invalid(shortened(&error.to_string())))?;
    let (mut operations, mut fragments) = (Vec::new(), HashMap::new());
    for definition in document.definitions {
        match definition {
            Definition::Operation(operation) => operations.push(operation),
            Definition::Fragment(fragment) => drop(fragments.insert(fragment.name, fragment)),
        }
    }
    let wanted = body.operation_name.as_deref().filter(|name| !name.is_empty());
    let mut found =
        operations.into_iter().filter(|operation| wanted.is_none_or(|wanted| name(operation) == Some(wanted)));
    let (operation, other) = (found.next(), found.next());
    let Some(operation) = operation.filter(|_| other.is_none()) else {
        return Err(invalid("An operation name is required"));
    };
    let (variables, selections) = match operation {
        OperationDefinition::SelectionSet(selections) => (Vec::new(), selections),
        OperationDefinition::Query(query) => (query.variable_definitions, query.selection_set),
        OperationDefinition::Mutation(_) => return Err(invalid("Mutations are not supported; use the REST API")),
        OperationDefinition::Subscription(_) => return Err(invalid("Subscriptions are not supported")),
    };
    let variables = Variables::of(&variables, body.variables.as_ref())?;
    let mut expansion = Expansion { fragments: &fragments, variables, count: 0 };
    let mut fields = Vec::new();
    expansion.expand(&selections, None, 0, &mut fields)?;
    Ok(fields)
}

fn name<'d>(operation: &OperationDefinition<'d, &'d str>) -> Option<&'d str> {
    match operation {
        OperationDefinition::SelectionSet(_) => None,
        OperationDefinition::Query(query) => query.name,
        OperationDefinition::Mutation(mutation) => mutation.name,
        OperationDefinition::Subscription(subscription) => subscription.name,
    }
}

struct Expansion<'d> {
    fragments: &'d HashMap<&'d str, FragmentDefinition<'d, &'d str>>,
    variables: Variables,
    count: usize,
}

impl<'d> Expansion<'d> {
    fn expand(
        &mut self,
        selections: &SelectionSet<'d, &'d str>,
        on_type: Option<&str>,
        depth: usize,
        fields: &mut Vec<Field>,
    ) -> QueryResult<()> {
        if depth > DEPTH_MAX {
            return Err(invalid(format!("Query has depth of more than {DEPTH_MAX}")));
        }
        for selection in &selections.items {
            self.count += 1;
            if self.count > FIELDS_MAX {
                return Err(invalid(format!("Query has more than {FIELDS_MAX} fields")));
            }
            match selection {
                Selection::Field(field) => {
                    let mut inner = Vec::new();
                    self.expand(&field.selection_set, None, depth + 1, &mut inner)?;
                    let arguments = field
                        .arguments
                        .iter()
                        .map(|(name, value)| Ok(((*name).to_owned(), self.variables.replace(value)?)));
                    fields.push(Field {
                        key: field.alias.unwrap_or(field.name).to_owned(),
                        name: field.name.to_owned(),
                        on_type: on_type.map(str::to_owned),
                        arguments: arguments.collect::<QueryResult<_>>()?,
                        fields: inner,
                        position: field.position,
                    });
                }
                Selection::InlineFragment(fragment) => {
                    let narrowed = fragment.type_condition.as_ref().map(|TypeCondition::On(name)| *name);
                    self.expand(&fragment.selection_set, narrowed.or(on_type), depth + 1, fields)?;
                }
                Selection::FragmentSpread(spread) => {
                    let Some(fragment) = self.fragments.get(spread.fragment_name) else {
                        return Err(invalid(format!("Fragment {} was used, but not defined", spread.fragment_name)));
                    };
                    let TypeCondition::On(narrowed) = fragment.type_condition;
                    self.expand(&fragment.selection_set, Some(narrowed), depth + 1, fields)?;
                }
            }
        }
        Ok(())
    }
}

/// The start of a text that may be long.
fn shortened(text: &str) -> String {
    text.chars().take(MESSAGE_CHARACTERS_MAX).collect()
}
