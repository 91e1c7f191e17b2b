//! What is counted, in the text that Prometheus reads. Nothing in it is about what somebody asked or remembered.

use std::collections::BTreeMap;
use std::{fmt::Display, sync::Mutex, time::Duration};

use apostille_core::{memory::Stage, space::Space, store::SpaceSummary};

use apostille_mcp::concurrency::lock_despite_panic;
use jiff::Timestamp;

/// The upper bounds of the buckets, in seconds.
const BOUNDS: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0,
];

/// How long answers took.
#[derive(Debug, Clone, Default)]
struct LatencyHistogram {
    buckets: [u64; BOUNDS.len()],
    sum: f64,
    count: u64,
}

#[derive(Debug, Default)]
struct RequestCounts {
    requests: BTreeMap<(&'static str, &'static str, u16), u64>,
    durations: BTreeMap<&'static str, LatencyHistogram>,
    shed: BTreeMap<&'static str, u64>,
    connections: u64,
}

/// What is counted since the server was started.
#[derive(Debug, Default)]
pub(super) struct HttpMetrics(Mutex<RequestCounts>);

/// What is so at this moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct HttpGauges {
    pub(super) in_flight: usize,
    pub(super) at_work: usize,
    pub(super) connections: usize,
    pub(super) listeners: usize,
    /// When the server was started.
    pub(super) started: Timestamp,
    /// Until when its certificate is valid, where it has one that says so.
    pub(super) certificate_until: Option<Timestamp>,
    /// Whether it was told to stop.
    pub(super) is_stopping: bool,
}

impl HttpMetrics {
    /// A request was answered.
    pub(super) fn record_request(
        &self,
        route: &'static str,
        verb: &'static str,
        status: u16,
        took: Duration,
    ) {
        let mut counts = lock_despite_panic(&self.0);
        *counts.requests.entry((route, verb, status)).or_default() += 1;
        let durations = counts.durations.entry(route).or_default();
        let seconds = took.as_secs_f64();
        for (bucket, bound) in durations.buckets.iter_mut().zip(BOUNDS) {
            *bucket += u64::from(seconds <= bound);
        }
        durations.sum += seconds;
        durations.count += 1;
    }

    /// Something was turned away because there was too much of it.
    pub(super) fn record_shed(&self, reason: &'static str) {
        *lock_despite_panic(&self.0).shed.entry(reason).or_default() += 1;
    }

    /// A connection was taken in.
    pub(super) fn record_connection(&self) {
        lock_despite_panic(&self.0).connections += 1;
    }

    /// Everything that was counted about requests.
    pub(super) fn to_prometheus(&self, now: &HttpGauges) -> String {
        let counts = lock_despite_panic(&self.0);
        let mut page = MetricPage::default();
        page.begin_metric(
            "apostille_http_requests_total",
            "counter",
            "Requests answered.",
        );
        for ((route, verb, status), n) in &counts.requests {
            let status = &status.to_string();
            page.add_sample(
                "",
                &[("route", route), ("method", verb), ("status", status)],
                n,
            );
        }
        page.begin_metric(
            "apostille_http_request_seconds",
            "histogram",
            "How long answers took.",
        );
        for (route, it) in &counts.durations {
            let route = ("route", *route);
            for (bound, n) in BOUNDS.iter().zip(it.buckets) {
                page.add_sample("_bucket", &[route, ("le", &bound.to_string())], n);
            }
            page.add_sample("_bucket", &[route, ("le", "+Inf")], it.count);
            page.add_sample("_sum", &[route], it.sum);
            page.add_sample("_count", &[route], it.count);
        }
        let about = "What was turned away because it was too much.";
        page.begin_metric("apostille_http_shed_total", "counter", about);
        for (reason, n) in &counts.shed {
            page.add_sample("", &[("reason", reason)], n);
        }
        page.begin_metric(
            "apostille_http_connections_total",
            "counter",
            "Connections taken in.",
        );
        page.add_sample("", &[], counts.connections);
        page.begin_metric("apostille_build_info", "gauge", "The version that runs.");
        page.add_sample("", &[("version", env!("CARGO_PKG_VERSION"))], 1);
        page.begin_metric(
            "process_start_time_seconds",
            "gauge",
            "When the server was started.",
        );
        page.add_sample("", &[], now.started.as_second());
        page.begin_metric(
            "apostille_stopping",
            "gauge",
            "Whether the server was told to stop.",
        );
        page.add_sample("", &[], u8::from(now.is_stopping));
        if let Some(until) = now.certificate_until {
            let about = "Until when the certificate in use is valid.";
            page.begin_metric("apostille_tls_valid_until_seconds", "gauge", about);
            page.add_sample("", &[], until.as_second());
        }
        let gauges = [
            (
                "apostille_http_in_flight",
                now.in_flight,
                "Requests that are not answered yet.",
            ),
            (
                "apostille_http_at_work",
                now.at_work,
                "Requests that are worked on.",
            ),
            (
                "apostille_http_connections",
                now.connections,
                "Open connections.",
            ),
            (
                "apostille_live_listeners",
                now.listeners,
                "Who is told of changes.",
            ),
        ];
        for (name, value, about) in gauges {
            page.begin_metric(name, "gauge", about);
            page.add_sample("", &[], value);
        }
        page.text
    }
}

/// The numbers of some spaces.
pub(super) fn format_space_metrics(tallies: &[(SpaceSummary, Space)]) -> String {
    let mut page = MetricPage::default();
    page.begin_metric(
        "apostille_memories",
        "gauge",
        "Memories by space and stage.",
    );
    for (tally, space) in tallies {
        for stage in Stage::ALL {
            let labels = [("space", space.as_str()), ("stage", stage.as_str())];
            page.add_sample("", &labels, tally.count_in_stage(*stage));
        }
    }
    page.begin_metric(
        "apostille_events_total",
        "counter",
        "What happened, by space and word.",
    );
    for (tally, space) in tallies {
        for (word, n) in &tally.events {
            page.add_sample("", &[("space", space.as_str()), ("event", word)], n);
        }
    }
    page.text
}

/// Numbers one below the other, each with its head and its samples.
#[derive(Default)]
struct MetricPage {
    text: String,
    /// The number that samples belong to.
    name: &'static str,
}

impl MetricPage {
    fn begin_metric(&mut self, name: &'static str, kind: &str, about: &str) {
        self.name = name;
        self.text += &format!("# HELP {name} {about}\n# TYPE {name} {kind}\n");
    }

    fn add_sample(&mut self, ending: &str, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<String> = labels
            .iter()
            .map(|(name, it)| format!("{name}=\"{}\"", escape_metric_label(it)))
            .collect();
        let labels = match labels.is_empty() {
            true => String::new(),
            false => format!("{{{}}}", labels.join(",")),
        };
        self.text += &format!("{}{ending}{labels} {value}\n", self.name);
    }
}

fn escape_metric_label(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_number() {
        let meter = HttpMetrics::default();
        meter.record_request("/api/x", "GET", 200, Duration::from_millis(15));
        meter.record_request("/api/x", "GET", 200, Duration::from_secs(2));
        meter.record_shed("rate");
        meter.record_connection();
        let page = meter.to_prometheus(&HttpGauges {
            in_flight: 1,
            at_work: 2,
            connections: 3,
            listeners: 4,
            started: Timestamp::UNIX_EPOCH,
            certificate_until: Timestamp::from_second(7).ok(),
            is_stopping: false,
        });
        for it in [
            "apostille_http_requests_total{route=\"/api/x\",method=\"GET\",status=\"200\"} 2\n",
            "apostille_http_request_seconds_bucket{route=\"/api/x\",le=\"0.01\"} 0\n",
            "apostille_http_request_seconds_bucket{route=\"/api/x\",le=\"0.02\"} 1\n",
            "apostille_http_request_seconds_bucket{route=\"/api/x\",le=\"+Inf\"} 2\n",
            "apostille_http_request_seconds_sum{route=\"/api/x\"} 2.015\n",
            "apostille_http_shed_total{reason=\"rate\"} 1\n",
            "apostille_http_connections_total 1\n",
            "apostille_http_in_flight 1\n",
            "apostille_live_listeners 4\n",
            "process_start_time_seconds 0\n",
            "apostille_stopping 0\n",
            "apostille_tls_valid_until_seconds 7\n",
        ] {
            assert!(page.contains(it), "{it}: {page}");
        }
    }

    #[test]
    fn labels_are_escaped() {
        let mut page = MetricPage::default();
        page.begin_metric("x", "gauge", "X.");
        page.add_sample("", &[("a", "b\"c\\d\ne")], 1);
        let out = page.text;
        assert!(out.ends_with("\nx{a=\"b\\\"c\\\\d\\ne\"} 1\n"), "{out}");
    }
}
