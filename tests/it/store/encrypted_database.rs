//! TLS to PostgreSQL in every mode of libpq, with the test's own certificates.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use plinth_base::error::{Error, Result};
use plinth_store::{Location, Store};

use super::cluster::Cluster;
use crate::support::Tester;

const ACCESS: &str = "
hostssl all guarded 127.0.0.1/32 cert
hostssl all postgres 127.0.0.1/32 trust
";

fn openssl(directory: &Path, arguments: &str) {
    let made = Command::new("openssl").current_dir(directory).args(arguments.split(' ')).output();
    let made = made.expect("openssl starts");
    assert!(made.status.success(), "{arguments}: {}", String::from_utf8_lossy(&made.stderr));
}

/// A certificate authority, and its certificates for a server and a client.
fn make_certificates(directory: &Path) {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    for authority in ["ca", "other"] {
        openssl(
            directory,
            &format!("req -x509 {key} -keyout {authority}.key -out {authority}.crt -days 2 -subj /CN={authority}"),
        );
    }
    for (name, subject) in [("server", "localhost"), ("client", "guarded")] {
        openssl(
            directory,
            &format!(
                "req -x509 {key} -keyout {name}.key -out {name}.crt -days 2 -subj /CN={subject} -CA ca.crt -CAkey ca.key \
                 -addext subjectAltName=DNS:{subject} -addext basicConstraints=critical,CA:FALSE"
            ),
        );
        let readable_by_owner = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(directory.join(format!("{name}.key")), readable_by_owner).expect("a file of ours");
    }
}

async fn open(cluster: &Cluster, user: &str, host: &str, options: &str) -> Result<Store> {
    let url = format!("postgres://{user}@{host}:{}/postgres?{options}", cluster.port());
    Store::open(&Location::Postgres { url, connections_max: 2, epoch_file: None }).await
}

async fn is_encrypted(store: &Store) -> bool {
    let mut db = store.read().await.expect("the database responds");
    let sql = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";
    db.one::<(bool,)>(sql, &[]).await.expect("the database responds").0
}

#[tokio::test]
async fn each_sslmode_protects_as_documented() {
    let certificates = tempfile::tempdir().expect("a temporary directory can be created");
    make_certificates(certificates.path());
    let file = |name: &str| certificates.path().join(name).display().to_string();
    let prepare = |data: &Path| {
        std::fs::write(data.join("pg_hba.conf"), ACCESS).expect("a file can be written");
        for name in ["server.key", "server.crt", "ca.crt"] {
            std::fs::copy(certificates.path().join(name), data.join(name)).expect("a file can be copied");
        }
        ["ssl=on", "ssl_key_file=server.key", "ssl_cert_file=server.crt", "ssl_ca_file=ca.crt"]
            .map(str::to_owned)
            .to_vec()
    };
    let Some(cluster) = Cluster::start_with(prepare) else {
        println!("skipped: no PostgreSQL programs are named");
        return;
    };
    let (root, other) = (format!("sslrootcert={}", file("ca.crt")), format!("sslrootcert={}", file("other.crt")));
    // A new cluster accepts connections before it accepts statements.
    let mut first = open(&cluster, "postgres", "localhost", "sslmode=require").await;
    for _ in 0..200 {
        match first {
            Err(Error::Unavailable(_)) => tokio::time::sleep(Duration::from_millis(50)).await,
            _ => break,
        }
        first = open(&cluster, "postgres", "localhost", "sslmode=require").await;
    }
    let store = first.expect("an encrypted connection is taken");
    let guarded = store.write(Tester, (), |tx, ()| {
        Box::pin(async move { Ok(tx.execute("create role guarded superuser login", &[]).await?) })
    });
    guarded.await.expect("a role can be made");

    for (host, options, accepted) in [
        ("localhost", "sslmode=prefer".to_owned(), true),
        ("localhost", String::new(), true),
        ("localhost", "sslmode=disable".to_owned(), false),
        ("localhost", format!("sslmode=verify-full&{root}"), true),
        ("127.0.0.1", format!("sslmode=verify-full&{root}"), false),
        ("127.0.0.1", format!("sslmode=verify-ca&{root}"), true),
        ("127.0.0.1", format!("sslmode=require&{root}"), true),
        ("localhost", format!("sslmode=verify-ca&{other}"), false),
        ("localhost", format!("sslmode=require&{other}"), false),
        ("localhost", format!("sslmode=verify-full&{other}"), false),
    ] {
        let opened = open(&cluster, "postgres", host, &options).await;
        assert_eq!(opened.is_ok(), accepted, "{host} {options}: {:?}", opened.err());
        if let Ok(store) = opened {
            assert!(is_encrypted(&store).await, "{host} {options}");
        }
    }

    let client = format!("sslcert={}&sslkey={}", file("client.crt"), file("client.key"));
    let guarded = open(&cluster, "guarded", "localhost", &format!("sslmode=verify-full&{root}&{client}")).await;
    assert!(is_encrypted(&guarded.expect("the certificate is accepted")).await);
    assert!(open(&cluster, "guarded", "localhost", "sslmode=require").await.is_err(), "there is no certificate");

    for (options, word) in [
        ("sslmode=verify-full".to_owned(), "sslrootcert"),
        ("sslmode=verify-full&sslrootcert=/nonexistent/ca.pem".to_owned(), "/nonexistent/ca.pem"),
        ("sslmode=require&sslcert=a.pem".to_owned(), "sslkey"),
        ("sslmode=always".to_owned(), "sslmode=always"),
    ] {
        match open(&cluster, "postgres", "localhost", &options).await {
            Err(Error::BadRequest(text)) => assert!(text.contains(word), "{options}: {text}"),
            other => panic!("{options}: {:?}", other.err()),
        }
    }
}
