//! The model, and how each step changes it and the service.

use serde_json::{Value, json};

use super::super::{ORG, link, mona};
use super::{KINDS, NAMES, Step};
use crate::schemas;
use crate::support::{Response, Service};

const ISSUE_FIELDS: &str = "/orgs/octo-org/issue-fields";

#[derive(Debug, Clone, PartialEq)]
struct IssueField {
    id: i64,
    name: String,
    kind: &'static str,
    options: Vec<(i64, String)>,
}

#[derive(Debug, Clone, PartialEq)]
struct ProjectField {
    id: i64,
    name: String,
    linked_to: Option<i64>,
}

/// Two lists, and the highest option id so far.
pub struct Model<'a> {
    service: &'a Service,
    issue_fields: Vec<IssueField>,
    project_fields: Vec<ProjectField>,
    highest_option: i64,
    count: usize,
}

fn same(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn items(response: &Response) -> Vec<Value> {
    response.json().as_array().expect("a list is an array").clone()
}

fn field_names(fields: &[Value]) -> Vec<String> {
    fields.iter().map(|field| field["name"].as_str().expect("a name is text").to_owned()).collect()
}

impl<'a> Model<'a> {
    pub async fn new(service: &'a Service) -> Self {
        let mut model =
            Model { service, issue_fields: Vec::new(), project_fields: Vec::new(), highest_option: 0, count: 0 };
        for field in items(&mona(service).get(ORG).await.expect(200)) {
            let name = field["name"].as_str().expect("a name is text").to_owned();
            model.project_fields.push(ProjectField { id: number(&field["id"]), name, linked_to: None });
        }
        model
    }

    /// A name that nothing else has.
    fn fresh_name(&mut self) -> String {
        self.count += 1;
        format!("Fresh {}", self.count)
    }

    fn has_project_field(&self, name: &str, except: Option<i64>) -> bool {
        let others = self.project_fields.iter().filter(|field| field.linked_to.is_none() || field.linked_to != except);
        others.into_iter().any(|field| same(&field.name, name))
    }

    /// The index of the field in the list, or nothing if there are fewer.
    fn at(&self, field: usize) -> Option<usize> {
        (field < self.issue_fields.len()).then_some(field)
    }

    pub async fn take(&mut self, step: &Step) {
        match step {
            Step::Create { name, kind, options } => self.create(NAMES[*name], KINDS[*kind], *options).await,
            Step::Rename { field, name } => self.rename(*field, NAMES[*name]).await,
            Step::ReplaceOptions { field, keep, fresh } => self.replace_options(*field, *keep, *fresh).await,
            Step::Delete { field } => self.delete(*field).await,
            Step::AddFollowing { field } => self.add_following(*field).await,
            Step::AddOwn { name } => self.add_own(NAMES[*name]).await,
            Step::PageForward { size } => self.page_forward(*size).await,
            Step::PageBack { size } => self.page_back(*size).await,
        }
        self.compare().await;
    }

    async fn create(&mut self, name: &str, kind: &'static str, count: usize) {
        let option = |priority| json!({ "name": self.fresh_name(), "color": "blue", "priority": priority });
        let options: Vec<Value> = (1..=count).map(option).collect();
        let options = if kind == "text" { Value::Null } else { json!(options) };
        let body = json!({ "name": name, "data_type": kind, "options": options });
        let response = mona(self.service).post(ISSUE_FIELDS, body).await;
        schemas::check("orgs/create-issue-field", &response);
        if self.issue_fields.iter().any(|field| same(&field.name, name)) {
            response.expect(422);
            return;
        }
        let created = response.expect(200).json();
        let options = self.learn_options(&created, &[]);
        let field = IssueField { id: number(&created["id"]), name: name.into(), kind, options };
        assert!(self.issue_fields.iter().all(|known| known.id < field.id));
        self.issue_fields.push(field);
    }

    /// The options of a response; new options have ids that were never used before.
    fn learn_options(&mut self, response: &Value, remaining: &[i64]) -> Vec<(i64, String)> {
        let options = response["options"].as_array().cloned().unwrap_or_default();
        let before = self.highest_option;
        let mut found = Vec::new();
        for option in &options {
            let id = number(&option["id"]);
            assert!(remaining.contains(&id) || id > before, "option id {id} has come back");
            self.highest_option = self.highest_option.max(id);
            found.push((id, option["name"].as_str().expect("a name is text").to_owned()));
        }
        found
    }

    async fn rename(&mut self, field: usize, name: &str) {
        let id = self.at(field).map_or(999_999, |at| self.issue_fields[at].id);
        let response = mona(self.service).patch(&format!("{ISSUE_FIELDS}/{id}"), json!({ "name": name })).await;
        schemas::check("orgs/update-issue-field", &response);
        let Some(at) = self.at(field) else {
            response.expect(404);
            return;
        };
        let taken = self.issue_fields.iter().any(|other| other.id != id && same(&other.name, name));
        let is_linked = self.project_fields.iter().any(|field| field.linked_to == Some(id));
        if taken || is_linked && self.has_project_field(name, Some(id)) {
            response.expect(422);
            return;
        }
        response.expect(200);
        self.issue_fields[at].name = name.into();
        for follower in self.project_fields.iter_mut().filter(|field| field.linked_to == Some(id)) {
            follower.name = name.into();
        }
    }

    async fn replace_options(&mut self, field: usize, keep: u8, fresh: usize) {
        let Some(at) = self.at(field) else { return };
        let before = self.issue_fields[at].clone();
        let remaining = before.options.iter().enumerate().filter(|(index, _)| keep & (1 << index) != 0);
        let mut wanted: Vec<(Option<i64>, String)> =
            remaining.map(|(_, (id, name))| (Some(*id), name.clone())).collect();
        wanted.reverse();
        for _ in 0..fresh {
            wanted.push((None, self.fresh_name()));
        }
        let options: Vec<Value> = wanted
            .iter()
            .zip(1..)
            .map(|((id, name), priority)| match id {
                Some(id) => json!({ "id": id, "name": name, "color": "red", "priority": priority }),
                None => json!({ "name": name, "color": "red", "priority": priority }),
            })
            .collect();
        let path = format!("{ISSUE_FIELDS}/{}", before.id);
        let response = mona(self.service).patch(&path, json!({ "options": options })).await;
        let rejected = if before.kind == "text" { !wanted.is_empty() } else { wanted.is_empty() };
        if rejected {
            response.expect(422);
            return;
        }
        let remaining: Vec<i64> = wanted.iter().filter_map(|(id, _)| *id).collect();
        let after = self.learn_options(&response.expect(200).json(), &remaining);
        assert_eq!(after.len(), wanted.len());
        for ((id, name), (wanted_id, wanted_name)) in after.iter().zip(&wanted) {
            assert_eq!(name, wanted_name);
            assert!(wanted_id.is_none_or(|wanted| wanted == *id));
        }
        self.issue_fields[at].options = after;
    }

    async fn delete(&mut self, field: usize) {
        let id = self.at(field).map_or(999_999, |at| self.issue_fields[at].id);
        let response = mona(self.service).delete(&format!("{ISSUE_FIELDS}/{id}")).await;
        response.expect(if self.at(field).is_some() { 204 } else { 404 });
        self.issue_fields.retain(|field| field.id != id);
        self.project_fields.retain(|field| field.linked_to != Some(id));
    }

    async fn add_following(&mut self, field: usize) {
        let Some(at) = self.at(field) else { return };
        let issue_field = self.issue_fields[at].clone();
        let response = mona(self.service).post(ORG, json!({ "issue_field_id": issue_field.id })).await;
        schemas::check("projects/add-field-for-org", &response);
        let linked_to = self.project_fields.iter().any(|field| field.linked_to == Some(issue_field.id));
        if issue_field.kind == "multi_select" || linked_to || self.has_project_field(&issue_field.name, None) {
            response.expect(422);
            return;
        }
        let id = number(&response.expect(201).json()["id"]);
        let field = ProjectField { id, name: issue_field.name, linked_to: Some(issue_field.id) };
        self.project_fields.push(field);
    }

    async fn add_own(&mut self, name: &str) {
        let response = mona(self.service).post(ORG, json!({ "name": name, "data_type": "number" })).await;
        if self.has_project_field(name, None) {
            response.expect(422);
            return;
        }
        let id = number(&response.expect(201).json()["id"]);
        self.project_fields.push(ProjectField { id, name: name.into(), linked_to: None });
    }

    /// Adds a field while pages are read: it is at the end and is shown once.
    async fn page_forward(&mut self, size: usize) {
        let mut page = mona(self.service).get(&format!("{ORG}?per_page={size}")).await.expect(200);
        let mut seen = field_names(&items(&page));
        let name = self.fresh_name();
        self.add_own(&name).await;
        while let Some(next) = link(&page, "next") {
            page = mona(self.service).get(&next).await.expect(200);
            assert!(items(&page).len() <= size);
            seen.extend(field_names(&items(&page)));
        }
        let names: Vec<String> = self.project_fields.iter().map(|field| field.name.clone()).collect();
        assert_eq!(seen, names);
    }

    /// Adds a field while pages are read backwards: it is behind and is not shown.
    async fn page_back(&mut self, size: usize) {
        let before: Vec<String> = self.project_fields.iter().map(|field| field.name.clone()).collect();
        let mut page = mona(self.service).get(&format!("{ORG}?per_page={size}")).await.expect(200);
        while let Some(next) = link(&page, "next") {
            page = mona(self.service).get(&next).await.expect(200);
        }
        let mut seen = field_names(&items(&page));
        let name = self.fresh_name();
        self.add_own(&name).await;
        while let Some(previous) = link(&page, "prev") {
            page = mona(self.service).get(&previous).await.expect(200);
            seen.splice(0..0, field_names(&items(&page)));
        }
        assert_eq!(seen, before);
    }

    /// Both lists, with their options, match the model.
    async fn compare(&self) {
        let response = mona(self.service).get(ISSUE_FIELDS).await.expect(200);
        schemas::check("orgs/list-issue-fields", &response);
        let listed = items(&response);
        assert_eq!(listed.len(), self.issue_fields.len());
        for (shown, known) in listed.iter().zip(&self.issue_fields) {
            assert_eq!(number(&shown["id"]), known.id);
            assert_eq!(shown["name"], known.name.as_str());
            assert_eq!(shown["data_type"], known.kind);
            let options = shown["options"].as_array().cloned().unwrap_or_default();
            let options: Vec<_> =
                options.iter().map(|option| (number(&option["id"]), option["name"].clone())).collect();
            let wanted: Vec<_> = known.options.iter().map(|(id, name)| (*id, json!(name))).collect();
            assert_eq!(options, wanted);
        }
        let response = mona(self.service).get(&format!("{ORG}?per_page=100")).await.expect(200);
        schemas::check("projects/list-fields-for-org", &response);
        let listed = items(&response);
        assert_eq!(listed.len(), self.project_fields.len());
        for (shown, known) in listed.iter().zip(&self.project_fields) {
            assert_eq!(number(&shown["id"]), known.id);
            assert_eq!(shown["name"], known.name.as_str());
            assert_eq!(shown["issue_field_id"].as_i64(), known.linked_to);
            let linked = self.issue_fields.iter().find(|field| Some(field.id) == known.linked_to);
            if let Some(linked) = linked.filter(|field| field.kind == "single_select") {
                let options = shown["options"].as_array().expect("a select field shows options");
                let names: Vec<_> = options.iter().map(|option| option["name"]["raw"].clone()).collect();
                let wanted: Vec<_> = linked.options.iter().map(|(_, name)| json!(name)).collect();
                assert_eq!(names, wanted);
            }
        }
    }
}
