//! What rendered HTML may contain, checked with a parser that is not ours. The fuzz targets use it, too.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer};

/// The tags and attributes that rendered HTML may contain.
const TAGS: &str = "a abbr b blockquote br cite code dd del details dfn div dl dt em h1 h2 h3 h4 h5 h6 hr i img input \
                    ins kbd li mark ol p pre q s samp section small span strong sub summary sup table tbody td th thead \
                    tr tt ul var";
const ATTRIBUTES: &str = "a:aria-label a:class a:data-footnote-backref a:data-footnote-ref a:href a:name a:rel \
                          details:open div:align img:align img:alt img:height img:src img:width input:checked \
                          input:disabled input:type ol:start p:align pre:lang section:class section:data-footnotes \
                          td:align td:colspan td:rowspan th:align th:colspan th:rowspan";
const LINK_CLASSES: &str = "user-mention issue-link commit-link footnote-backref";
const ATTRIBUTES_OF_ALL: &str = "dir id title";

struct Tags(RefCell<Vec<Tag>>);

impl TokenSink for Tags {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match token {
            Token::TagToken(tag) => self.0.borrow_mut().push(tag),
            Token::CommentToken(comment) => panic!("a comment is left: {comment}"),
            Token::DoctypeToken(_) => panic!("a declaration is left"),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// Panics if a browser would find anything in the HTML that is not on the lists.
pub fn assert_harmless(html: &str, source: &str) {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let reader = Tokenizer::new(Tags(RefCell::default()), Default::default());
    let _ = reader.feed(&input);
    reader.end();
    for tag in reader.sink.0.borrow().iter() {
        let name = tag.name.to_string();
        assert!(has(TAGS, &name), "<{name}> is left of {source:?}: {html}");
        assert!(tag.kind == TagKind::StartTag || tag.attrs.is_empty(), "{html}");
        for attribute in &tag.attrs {
            let (key, value) = (attribute.name.local.to_string(), attribute.value.to_string());
            let allowed = has(ATTRIBUTES_OF_ALL, &key) || has(ATTRIBUTES, &format!("{name}:{key}"));
            assert!(allowed, "{key} of <{name}> is left of {source:?}: {html}");
            assert!(is_harmless_value(&name, &key, &value), "{key}={value:?} of <{name}> from {source:?}: {html}");
        }
    }
}

fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|known| known == word)
}

fn is_harmless_value(tag: &str, key: &str, value: &str) -> bool {
    match (tag, key) {
        ("a", "href") | ("img", "src") => {
            // Browsers ignore surrounding space, tabs and line breaks in URLs.
            let read: String = value.chars().filter(|character| !"\t\r\n".contains(*character)).collect();
            let read = read.trim_matches(|character: char| character <= ' ').to_ascii_lowercase();
            match url::Url::parse(&read) {
                Ok(url) => ["http", "https", "mailto"].contains(&url.scheme()),
                Err(error) => error == url::ParseError::RelativeUrlWithoutBase || read.starts_with("http"),
            }
        }
        (_, "id") | ("a", "name") => value.starts_with("user-content-"),
        ("a", "class") => value.split(' ').all(|class| class.is_empty() || has(LINK_CLASSES, class)),
        ("section", "class") => ["", "footnotes"].contains(&value),
        ("a", "rel") => value == "nofollow",
        ("input", "type") => value == "checkbox",
        _ => true,
    }
}
