//! The table of what a secret looks like: one row per published format, then the general ones.
//!
//! What each row must catch and let pass is in `tests/samples.rs`.

use super::judge::SecretJudge::{self, Address, Branded, Password, Prefixed, Shape, Strong, Token};

/// One kind of secret.
pub(super) struct SecretRule {
    /// What [`super::find_secret`] reports.
    pub name: &'static str,
    /// Lower-case words of two bytes or more, separated by commas; without one of them in the text the pattern is not
    /// tried. Empty for a format without any fixed letters.
    pub keywords: &'static str,
    /// Shortest run of letters and digits without which the pattern is not tried.
    pub run: usize,
    /// The pattern; its first group, if any, is the value to judge.
    pub pattern: &'static str,
    /// How the value is judged.
    pub judge: SecretJudge,
}

/// Opens a pattern that reads the lower-cased text, which is cheaper than a caseless pattern.
const CASELESS: &str = "(?i)";
/// What stands in a pattern for a part that many of them share.
const SHARED_PARTS: [(&str, &str); 4] = [
    (CASELESS, ""),
    // Left edge of a token: not inside a word, but an escaped line break may stand before it.
    ("{edge}", r"(?:^|[^A-Za-z0-9]|\\[nrt])"),
    // The value: ASCII only, up to a blank, quote, bracket, comma or semicolon.
    ("{value}", r"([!#-&*+\-./0-9:=?@A-Z\[\\\]^_a-z|~]{6,})"),
    (
        "{uuid}",
        "[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}",
    ),
];

const fn define_secret_rule(
    name: &'static str,
    keywords: &'static str,
    pattern: &'static str,
) -> SecretRule {
    SecretRule {
        name,
        keywords,
        pattern,
        judge: Shape,
        run: 0,
    }
}

impl SecretRule {
    /// Whether the pattern is written for the lower-cased text.
    pub(super) fn is_caseless(&self) -> bool {
        self.pattern.starts_with(CASELESS)
    }

    /// The pattern with the shared parts filled in.
    pub(super) fn expand_pattern(&self) -> String {
        SHARED_PARTS
            .iter()
            .fold(self.pattern.to_owned(), |text, (mark, part)| {
                text.replace(mark, part)
            })
    }

    const fn with_judge(self, judge: SecretJudge) -> Self {
        Self { judge, ..self }
    }

    const fn with_run(self, run: usize) -> Self {
        Self { run, ..self }
    }
}

/// All rows, the cheap and certain ones first.
#[rustfmt::skip]
pub(super) static ROWS: &[SecretRule] = &[
    // keys and key files.
    define_secret_rule("private-key-pem", "-----begin", "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"),
    define_secret_rule("putty-private-key", "putty-user-key-file", "PuTTY-User-Key-File-[0-9]:"),
    define_secret_rule("jwk-private-key", r#""kty""#, r#""d"\s{0,3}:\s{0,3}"[A-Za-z0-9_-]{40,}"#),
    define_secret_rule("age-secret-key", "age-secret-key-1,age-secret-key-pq-1", "AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{40,}"),
    define_secret_rule("wallet-seed-phrase", "mnemonic,seed phrase,recovery phrase", r#"(?i)(?:mnemonic|(?:seed|recovery) phrase)[a-z ]{0,20}[:=]\s{0,3}"?(?:[a-z]{3,8}[ ,]{1,2}){11}[a-z]{3,8}"#),
    define_secret_rule("json-web-token", ".ey", r"{edge}ey[A-Za-z0-9_-]{15,}\.ey[A-Za-z0-9_/-]{15,}(?:\.[A-Za-z0-9_/+-]{8,})?"),
    define_secret_rule("json-web-token", "eyj", r"{edge}eyJ[A-Za-z0-9_-]{15,}\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{8,}"),
    define_secret_rule("password-hash", "$2a$,$2b$,$2x$,$2y$", r"\$2[abxy]\$[0-9]{1,2}\$[./A-Za-z0-9]{53}"),
    define_secret_rule("kerberos-hash", "$krb5", r"\$krb5(?:asrep|tgs|pa)\$[0-9]{2}\$[^\s]{40,}"),
    define_secret_rule("password-hash", "$1$,$5$,$6$,$8$,$9$,$y$,$apr1$", r"\$(?:1|5|6|8|9|y|apr1)\$(?:rounds=[0-9]+\$)?[^\s$]{1,60}\$[./A-Za-z0-9]{22,90}"),
    // source hosting.
    define_secret_rule("github-token", "ghp_,gho_,ghu_,ghs_,ghr_", "gh[pousr]_([A-Za-z0-9_]{6,})").with_judge(Prefixed),
    define_secret_rule("github-fine-grained-token", "github_pat_", "github_pat_[A-Za-z0-9_]{20,}"),
    define_secret_rule("gitlab-token", "glpat-,glpats-", "glpats?-([A-Za-z0-9_.-]{6,})").with_judge(Prefixed),
    define_secret_rule("gitlab-token", "gldt-,glrt-,glrtr-,glptt-,glft-,glsoat-,glimt-,glcbt-,glagent-,gloas-,glffct-,glwt-", "gl(?:(?:dt|rt|rtr|ft|soat|imt|cbt|ffct|wt)-[A-Za-z0-9_.-]{20,}|ptt-[0-9a-fA-F]{40}|agent-[A-Za-z0-9_.-]{50}|oas-[0-9a-fA-F]{64})").with_judge(Prefixed),
    define_secret_rule("gitlab-runner-token", "gr1348941", "GR1348941[A-Za-z0-9_-]{20,}"),
    define_secret_rule("gitlab-session", "_gitlab_session", "_gitlab_session=[0-9a-f]{32}"),
    define_secret_rule("bitbucket-app-password", "atbb", "{edge}ATBB[A-Za-z0-9]{20,}"),
    define_secret_rule("atlassian-token", "atatt3,atctt3,atoa", "{edge}(?:ATATT3|ATCTT3|ATOA)[A-Za-z0-9_=-]{30,}"),
    define_secret_rule("trello-token", "atta", "{edge}ATTA[0-9a-f]{64}"),
    define_secret_rule("sourcegraph-token", "sgp_,sgd_,slk_,sgs_", "{edge}(?:sgp|sgd|slk|sgs)_[A-Za-z0-9_]{32,}"),
    define_secret_rule("gitea-token", "gitea", "(?i)gitea.{0,30}[^0-9a-f]([0-9a-f]{40})(?:[^0-9a-f]|$)"),
    // packages and registries.
    define_secret_rule("npm-token", "npm_", "{edge}npm_[A-Za-z0-9]{30,}"),
    define_secret_rule("npm-legacy-token", "_authtoken,_auth", r#"_auth(?:Token)?\s{0,3}=\s{0,3}["']?([A-Za-z0-9+/=_-]{16,})"#).with_judge(Token),
    define_secret_rule("pypi-token", "pypi-ag", "pypi-Ag[A-Za-z0-9_-]{30,}"),
    define_secret_rule("crates-io-token", "cio", "{edge}cio[A-Za-z0-9]{32}(?:[^A-Za-z0-9]|$)"),
    define_secret_rule("rubygems-token", "rubygems_", "rubygems_[a-z0-9]{40,}"),
    define_secret_rule("nuget-token", "oy2", "{edge}oy2[a-z0-9]{43}"),
    define_secret_rule("clojars-token", "clojars_", "CLOJARS_[0-9a-z]{60}"),
    define_secret_rule("packagist-token", "packagist_", "packagist_[a-z]{2,4}_[0-9a-f]{40,}"),
    define_secret_rule("docker-hub-token", "dckr_", "dckr_[a-z]{2,4}_[A-Za-z0-9_-]{20,}"),
    define_secret_rule("docker-auth-config", r#""auth""#, r#""auth"\s{0,4}:\s{0,4}"([A-Za-z0-9+/]{12,}={0,2})""#),
    define_secret_rule("artifactory-token", "akcp,cmvmdgtuoj", "{edge}(?:AKCp[A-Za-z0-9]{50,}|cmVmdGtuOj[A-Za-z0-9]{40,})"),
    define_secret_rule("maven-master-password", "{encrypted,<master>,<password>{", r">\s{0,3}\{([A-Za-z0-9+/=\\]{24,})\\?\}"),
    define_secret_rule("cachix-token", "cachix", r#"(?i)cachix.{0,20}[:=]\s{0,3}["']?([A-Za-z0-9+/=_.-]{40,})"#).with_judge(Strong),
    // clouds.
    define_secret_rule("aws-access-key", "akia,asia,abia,acca,a3t,agpa,aida,aroa,aipa,anpa,anva", "{edge}(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9]|AGPA|AIDA|AROA|AIPA|ANPA|ANVA)[A-Z0-9]{16}"),
    define_secret_rule("aws-bedrock-key", "absk,bedrock-api-key-", "(?:{edge}ABSK[A-Za-z0-9+/]{60,}|bedrock-api-key-[A-Za-z0-9+/]{20,})"),
    define_secret_rule("aws-appsync-key", "da2-", "{edge}da2-[a-z0-9]{26}"),
    define_secret_rule("amazon-oauth-secret", "amzn1.,amzn.mws", r"amzn(?:1\.oa2-cs\.v1\.[0-9a-f]{64}|\.mws\.{uuid})"),
    define_secret_rule("google-api-key", "aiza", "{edge}AIza[A-Za-z0-9_-]{30,}"),
    define_secret_rule("google-oauth-token", "ya29.", r"ya29\.[A-Za-z0-9_-]{12,}"),
    define_secret_rule("google-oauth-secret", "gocspx-", "GOCSPX-[A-Za-z0-9_-]{20,}"),
    define_secret_rule("google-oauth-client", ".apps.googleusercontent", r"[0-9]{6,}-[a-z0-9]{32}\.apps\.googleusercontent"),
    define_secret_rule("google-refresh-token", "1//0", "{edge}1//0[A-Za-z0-9_-]{40,}"),
    define_secret_rule("adobe-client-secret", "p8e-", "{edge}p8e-[A-Za-z0-9-]{32}"),
    define_secret_rule("google-service-account", "private_key_id", r#""private_key_id"\s{0,4}:\s{0,4}"[0-9a-f]{30,}"#),
    define_secret_rule("firebase-server-key", ":apa91", "{edge}AAAA[A-Za-z0-9_-]{7}:APA91[A-Za-z0-9_-]{100,}"),
    define_secret_rule("azure-storage-key", "accountkey=,sharedaccesskey=", "(?i:accountkey|sharedaccesskey)=([A-Za-z0-9+/]{40,}={0,2})"),
    define_secret_rule("azure-sas-signature", "sig=", "[?&;]sig=([A-Za-z0-9%+/_-]{40,})"),
    define_secret_rule("azure-ad-secret", "q~", "[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,}"),
    define_secret_rule("azure-service-key", "jqqj99,azdo,+amc,+astg,+astb,azse,azca,azfu,+acr,apim,aacdb", r"[A-Za-z0-9+/]{33,}(?:JQQJ99|AZDO|\+AMC|\+AST|\+ASt|AzSe|AzCa|AzFu|\+ACR|APIM|ACDb)[A-Za-z0-9+/]{4,}"),
    define_secret_rule("alibaba-access-key", "ltai", "{edge}LTAI[A-Za-z0-9]{12,30}"),
    define_secret_rule("tencent-secret-id", "akid", "{edge}AKID[A-Za-z0-9]{28,}"),
    define_secret_rule("yandex-key", "aqvn,y0_,t1.,ycaj,ycm,yco,ycp", r"{edge}(?:AQVN[A-Za-z0-9_-]{35,38}|y0_[A-Za-z0-9_-]{50,}|t1\.[A-Za-z0-9_-]+={0,2}\.[A-Za-z0-9_-]{86}|YC[A-Z][A-Za-z0-9_-]{37})"),
    define_secret_rule("ibm-cloud-key", "ibm", r#"(?i)ibm.{0,30}[:= ]["']?([A-Za-z0-9_-]{44})(?:[^A-Za-z0-9_-]|$)"#).with_judge(Strong),
    define_secret_rule("oracle-cloud-key", "ocid1.key", r"ocid1\.(?:key|vaultsecret)[a-z0-9.]{10,}"),
    define_secret_rule("digitalocean-token", "dop_v1_,doo_v1_,dor_v1_", "do[opr]_v1_[0-9a-f]{40,}"),
    define_secret_rule("heroku-key", "hrku-", "HRKU-[A-Za-z0-9_-]{30,}"),
    define_secret_rule("cloudflare-origin-key", "v1.0-", r"{edge}v1\.0-[0-9a-f]{24}-[0-9a-f]{60,}"),
    define_secret_rule("cloudflare-token", "cfut_,cfat_,cfk_", "{edge}cf(?:ut|at|k)_[A-Za-z0-9]{36,}"),
    define_secret_rule("fly-token", "fo1_,fm1a_,fm1r_,fm2_,flyv1", "{edge}(?:fo1_[A-Za-z0-9_-]{40,}|fm(?:1a|1r|2)_[A-Za-z0-9+/=_-]{40,})"),
    define_secret_rule("vercel-token", "vcp_,vci_,vca_,vcr_,vck_,vercel_blob_rw_", "{edge}(?:vc[piark]_[A-Za-z0-9]{24,}|vercel_blob_rw_[A-Za-z0-9_]{30,})"),
    define_secret_rule("netlify-token", "nfp_,nfc_,nfo_,nfu_", "{edge}nf[pcou]_[A-Za-z0-9]{36,}"),
    define_secret_rule("render-key", "rnd_", "{edge}rnd_[A-Za-z0-9]{28,}"),
    define_secret_rule("supabase-key", "sbp_,sb_secret_", "{edge}(?:sbp_(?:oauth_)?[a-z0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,})"),
    define_secret_rule("scalingo-token", "tk-us-", "tk-us-[A-Za-z0-9_-]{40,}"),
    define_secret_rule("hetzner-token", "hcloud,hetzner", r#"(?i)(?:hcloud|hetzner).{0,30}[:= ]["']?([A-Za-z0-9]{64})(?:[^A-Za-z0-9]|$)"#).with_judge(Strong),
    define_secret_rule("scaleway-key", "scw", "{edge}SCW[A-Z0-9]{17}(?:[^A-Z0-9]|$)"),
    define_secret_rule("ovh-token", "ovh", r#"(?i)ovh.{0,20}[:= ]["']?([a-f0-9]{32})(?:[^a-f0-9]|$)"#),
    // databases and data platforms.
    define_secret_rule("address-with-password", "://", r#"[A-Za-z]://[^\s:/@"'`<>]*:([^\s@/"'`<>]{3,})@[A-Za-z0-9\[%_]"#).with_judge(Address),
    define_secret_rule("databricks-token", "dapi,dose,dkea", "{edge}(?:dapi|dose|dkea)[0-9a-f]{32}"),
    define_secret_rule("planetscale-token", "pscale_", "pscale_(?:tkn|pw|oauth|app)_[A-Za-z0-9_.=-]{24,}"),
    define_secret_rule("neon-key", "napi_,npg_", "{edge}(?:napi_[a-z0-9]{40,}|npg_[A-Za-z0-9]{12,})"),
    define_secret_rule("mongodb-atlas-secret", "mdb_sa_sk_", "mdb_sa_sk_[A-Za-z0-9_-]{30,}"),
    define_secret_rule("cockroach-key", "ccdb1_", "CCDB1_[A-Za-z0-9_]{40,}"),
    define_secret_rule("clickhouse-cloud-key", "4b1d", "{edge}4b1d[A-Za-z0-9]{38}(?:[^A-Za-z0-9]|$)"),
    define_secret_rule("confluent-key", "cflt", "{edge}cflt[A-Za-z0-9+/]{40,}"),
    define_secret_rule("elastic-key", "essu_", "essu_[A-Za-z0-9+/=]{30,}"),
    define_secret_rule("pinecone-key", "pcsk_", "{edge}pcsk_[A-Za-z0-9]{4,10}_[A-Za-z0-9]{40,}"),
    define_secret_rule("airtable-token", "pat", r"{edge}pat[A-Za-z0-9]{14}\.[0-9a-z]{64}").with_run(64),
    define_secret_rule("airtable-oauth-token", ".v1.", r"{edge}[A-Za-z0-9]{20,}\.v1\.[A-Za-z0-9_-]{20,}"),
    define_secret_rule("fibery-token", "fibery", r"(?i)fibery.{0,30}([0-9a-f]{8}\.[0-9a-f]{35})"),
    define_secret_rule("dbt-cloud-token", "dbtc_,dbtu_", "{edge}dbt[cu]_[A-Za-z0-9_-]{24,}"),
    define_secret_rule("tinybird-token", "p.eyj", r"{edge}p\.eyJ[A-Za-z0-9_-]{40,}"),
    define_secret_rule("prefect-key", "pnu_,pnb_", "{edge}pn[ub]_[A-Za-z0-9]{32,}"),
    define_secret_rule("motherduck-token", "motherduck", "(?i)motherduck_token=([A-Za-z0-9_.-]{20,})"),
    // infrastructure and CI.
    define_secret_rule("vault-token", "hvs.,hvb.,hvr.", r"{edge}hv[sbr]\.[A-Za-z0-9_-]{20,}"),
    define_secret_rule("vault-legacy-token", "s.,b.", r"{edge}[sb]\.([A-Za-z0-9]{24})(?:[^A-Za-z0-9.]|$)").with_judge(Strong).with_run(24),
    define_secret_rule("terraform-token", "atlasv1", r"[A-Za-z0-9]{10,}\.?atlasv1\.?[A-Za-z0-9_-]{40,}"),
    define_secret_rule("pulumi-token", "pul-", "{edge}pul-[0-9a-z]{40}"),
    define_secret_rule("doppler-token", "dp.pt.,dp.st.,dp.ct.,dp.sa.,dp.scim.,dp.audit.", r"{edge}dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{20,}"),
    define_secret_rule("infisical-token", "st.", r"{edge}st\.[0-9a-f-]{24,36}\.[0-9a-f]{32}\.[0-9a-f]{20,}").with_run(32),
    define_secret_rule("onepassword-token", "ops_eyj", "ops_eyJ[A-Za-z0-9+/=_-]{60,}"),
    define_secret_rule("onepassword-secret-key", "a3-", "{edge}A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    define_secret_rule("bitwarden-token", "0.", r"{edge}0\.{uuid}\.[A-Za-z0-9]{20,}:[A-Za-z0-9+/=]{16,}").with_run(36),
    define_secret_rule("circleci-token", "ccipat_,cciprj_", "CCI(?:PAT|PRJ)_[A-Za-z0-9]{16,}_[0-9a-z]{32,}"),
    define_secret_rule("infracost-key", "ico-", "{edge}ico-[A-Za-z0-9]{32}(?:[^A-Za-z0-9]|$)"),
    define_secret_rule("settlemint-token", "sm_aat_,sm_pat_,sm_sat_", "{edge}sm_[aps]at_[A-Za-z0-9]{16}(?:[^A-Za-z0-9]|$)"),
    define_secret_rule("authress-key", ".acc_,.acc-", r"{edge}(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,}"),
    define_secret_rule("jenkins-crumb", "jenkins-crumb", r#"(?i)jenkins-crumb["'\s:=]{1,4}[0-9a-f]{32,}"#),
    define_secret_rule("stackhawk-key", "hawk.", r"{edge}hawk\.[A-Za-z0-9_-]{20}\.[A-Za-z0-9_-]{20}"),
    define_secret_rule("thingsboard-token", "thingsboard", r"thingsboard\.(?:cloud|io)/api/v1/([a-z0-9]{20})"),
    define_secret_rule("truenas-key", "", "{edge}[0-9]{1,3}-([A-Za-z0-9]{64})(?:[^A-Za-z0-9]|$)").with_judge(Strong).with_run(66),
    define_secret_rule("bitbucket-data-center-token", "bbdc-", "{edge}BBDC-[A-Za-z0-9+/]{40,}"),
    define_secret_rule("buildkite-token", "bkua_,bkct_,bkaj_,bkat_,bkpt_", "{edge}bk[a-z]{2}_[A-Za-z0-9]{32,}"),
    define_secret_rule("sonar-token", "squ_,sqp_,sqa_", "{edge}sq[upa]_[0-9a-f]{40}"),
    define_secret_rule("snyk-token", "snyk_uat,snyk_sat", r"snyk_[us]at\.[A-Za-z0-9_.-]{20,}"),
    define_secret_rule("harness-token", "pat.,sat.", r"{edge}[ps]at\.[A-Za-z0-9_-]{22}\.[0-9a-zA-Z]{24}\.[A-Za-z0-9]{20}"),
    define_secret_rule("launchdarkly-key", "api-,sdk-,mob-", "{edge}(?:api|sdk|mob)-{uuid}"),
    define_secret_rule("postman-key", "pmak-", "PMAK-[0-9a-zA-Z]{20,}-[0-9a-zA-Z]{30,}"),
    define_secret_rule("tailscale-key", "tskey-", "{edge}tskey-[A-Za-z0-9]{3,}-[A-Za-z0-9_-]{6,}"),
    define_secret_rule("ngrok-key", "ak_2,cr_2", "{edge}(?:ak|cr)_2[A-Za-z0-9]{24,30}(?:[^A-Za-z0-9]|$)"),
    define_secret_rule("octopus-key", "api-", "{edge}API-[A-Z0-9]{25,32}(?:[^A-Z0-9]|$)"),
    define_secret_rule("wakatime-key", "waka_", "{edge}waka_{uuid}"),
    define_secret_rule("inngest-key", "signkey-", "signkey-[a-z]{2,12}-[0-9a-f]{32,}"),
    define_secret_rule("trigger-dev-key", "tr_dev_,tr_prod_,tr_stg_,tr_pat_", "{edge}tr_(?:dev|prod|stg|pat)_[A-Za-z0-9]{16,}"),
    define_secret_rule("thunderstore-token", "tss_", "{edge}tss_[A-Za-z0-9]{24,}"),
    define_secret_rule("rootly-token", "rootly_", "rootly_[0-9a-f]{40,}"),
    define_secret_rule("akeyless-key", "p-", "{edge}p-[a-z0-9]{14,16}[:/][A-Za-z0-9+/=]{40,}").with_run(40),
    define_secret_rule("convex-key", "prod:,dev:", r"{edge}(?:prod|dev):[a-z]+-[a-z]+-[0-9]{1,4}\|[A-Za-z0-9+/=]{30,}"),
    define_secret_rule("ionic-token", "ion_", "{edge}ion_[A-Za-z0-9]{42}"),
    // models and agents.
    define_secret_rule("anthropic-key", "sk-ant-", "sk-ant-([A-Za-z0-9_-]{6,})").with_judge(Prefixed),
    define_secret_rule("openai-key", "t3blbkfj", "[A-Za-z0-9_-]{16,}T3BlbkFJ[A-Za-z0-9_-]{16,}"),
    define_secret_rule("secret-key-sk", "sk-", "{edge}sk-([A-Za-z0-9_-]{6,})").with_judge(Prefixed),
    define_secret_rule("openai-session", "sess-", "{edge}sess-[A-Za-z0-9]{36,}"),
    define_secret_rule("hugging-face-token", "hf_,api_org_", "{edge}(?:hf|api_org)_([A-Za-z0-9]{30,})").with_judge(Prefixed),
    define_secret_rule("replicate-token", "r8_", "{edge}r8_[A-Za-z0-9_-]{30,}"),
    define_secret_rule("groq-key", "gsk_", "{edge}gsk_[A-Za-z0-9]{40,}"),
    define_secret_rule("xai-key", "xai-", "{edge}xai-[A-Za-z0-9_-]{40,}"),
    define_secret_rule("perplexity-key", "pplx-", "{edge}pplx-[A-Za-z0-9]{32,}"),
    define_secret_rule("together-key", "tgp_v1_", "{edge}tgp_v1_[A-Za-z0-9_-]{30,}"),
    define_secret_rule("fireworks-key", "fw_", "{edge}fw_[A-Za-z0-9]{22,}"),
    define_secret_rule("nvidia-key", "nvapi-", "{edge}nvapi-[A-Za-z0-9_-]{40,}"),
    define_secret_rule("langsmith-key", "lsv2_,ls__", "{edge}(?:lsv2_[a-z]{2,3}_[0-9a-f]{32}|ls__[0-9a-f]{32})"),
    define_secret_rule("elevenlabs-key", "sk_", "{edge}sk_[0-9a-f]{40,}"),
    define_secret_rule("tavily-key", "tvly-", "tvly-[A-Za-z0-9_-]{20,}"),
    define_secret_rule("wandb-key", "wandb_v1_", "wandb_v1_[A-Za-z0-9_]{30,}"),
    define_secret_rule("cerebras-key", "csk-", "{edge}csk-[A-Za-z0-9]{30,}"),
    define_secret_rule("voyage-key", "pa-", "{edge}pa-([A-Za-z0-9_-]{43})(?:[^A-Za-z0-9_-]|$)").with_judge(Strong).with_run(43),
    define_secret_rule("runpod-key", "rpa_", "{edge}rpa_[A-Za-z0-9]{30,}"),
    define_secret_rule("modal-token", "ak-,as-", "{edge}a[ks]-([A-Za-z0-9]{22})(?:[^A-Za-z0-9]|$)").with_judge(Strong).with_run(25),
    define_secret_rule("jina-key", "jina_", "{edge}jina_[A-Za-z0-9_-]{40,}"),
    define_secret_rule("firecrawl-key", "fc-", "{edge}fc-[0-9a-f]{32}"),
    define_secret_rule("e2b-key", "e2b_", "{edge}e2b_[0-9a-f]{40}"),
    define_secret_rule("zhipu-key", "", r"{edge}[0-9a-f]{32}\.[A-Za-z0-9]{16}(?:[^A-Za-z0-9.]|$)").with_run(32),
    define_secret_rule("cursor-key", "crsr_,key_", "{edge}(?:crsr|key)_[0-9a-f]{50,}"),
    define_secret_rule("mem0-key", "m0-", "{edge}m0-[A-Za-z0-9]{36,}"),
    define_secret_rule("langfuse-key", "sk-lf-,pk-lf-", "{edge}[sp]k-lf-{uuid}"),
    define_secret_rule("logfire-token", "pylf_v", "pylf_v[0-9]+_[a-z]{2}_[A-Za-z0-9]{30,}"),
    define_secret_rule("voiceflow-key", "vf.", r"{edge}VF\.(?:(?:DM|WS)\.)?[0-9a-fA-F]{24}\.[A-Za-z0-9]{12,}"),
    define_secret_rule("apify-token", "apify_api_", "apify_api_[A-Za-z0-9]{30,}"),
    // messages and mail.
    define_secret_rule("slack-token", "xoxa-,xoxb-,xoxe-,xoxe.,xoxo-,xoxp-,xoxr-,xoxs-,xoxc-,xoxd-", "xox[abceoprsd][-.]([A-Za-z0-9._%/-]{6,})").with_judge(Prefixed),
    define_secret_rule("slack-legacy-token", "xoxb-,xoxp-,xoxa-", "xox[abp]-[0-9]{10,13}-[0-9]{10,13}"),
    define_secret_rule("slack-app-token", "xapp-", "xapp-[0-9]{1,12}-(?:[A-Za-z0-9]+-[0-9]+-)?[A-Za-z0-9/]{20,}"),
    define_secret_rule("slack-webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_-]+/[A-Za-z0-9_-]+/[A-Za-z0-9_/-]{12,}"),
    define_secret_rule("discord-bot-token", "", r"{edge}[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}").with_run(27),
    define_secret_rule("discord-webhook", "discord.com/api/webhooks,discordapp.com/api/webhooks", r"discord(?:app)?\.com/api/webhooks/[0-9]{10,}/[A-Za-z0-9_-]{30,}"),
    define_secret_rule("telegram-bot-token", ":a", "{edge}[0-9]{8,10}:A[A-Za-z0-9_-]{32,36}(?:[^A-Za-z0-9_-]|$)").with_run(33),
    define_secret_rule("telegram-bot-token", "telegram,tgram", "(?i)t(?:ele)?gram.{0,40}[^0-9]([0-9]{8,10}:[a-z0-9_-]{35})"),
    define_secret_rule("teams-webhook", "webhook.office.com,office.com/webhook/,powerautomate,logic.azure.com", r#"(?:office\.com/webhook(?:b2)?/[^\s"']{60,}|(?:powerautomate|logic\.azure\.com)[^\s"']{20,}[?&]sig=[A-Za-z0-9_%-]{20,})"#),
    define_secret_rule("google-chat-webhook", "chat.googleapis.com", r#"chat\.googleapis\.com/v1/spaces/[^\s"']{4,}/messages\?key=[^\s"']{20,}"#),
    define_secret_rule("zapier-webhook", "hooks.zapier.com", r"hooks\.zapier\.com/hooks/catch/(?:[0-9]+/[A-Za-z0-9]{6,}|[A-Za-z0-9]{12,})"),
    define_secret_rule("tines-webhook", "tines.com/webhook", r"tines\.com/webhook/[a-z0-9]{24,}/[a-z0-9]{24,}"),
    define_secret_rule("feishu-webhook", "open-apis/bot", "open-apis/bot/v2/hook/{uuid}"),
    define_secret_rule("dingtalk-webhook", "robot/send?access_token", r"robot/send\?access_token=[0-9a-f]{60,}"),
    define_secret_rule("wecom-webhook", "qyapi.weixin", r"qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key={uuid}"),
    define_secret_rule("twilio-key", "sk,ac", "{edge}(?:SK|AC)[0-9a-fA-F]{32}(?:[^0-9a-fA-F]|$)").with_run(34),
    define_secret_rule("sendgrid-key", "sg.", r"{edge}SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{32,}"),
    define_secret_rule("mailgun-key", "key-", "{edge}key-[0-9a-f]{32}(?:[^0-9a-f-]|$)").with_run(36),
    define_secret_rule("mailgun-signing-key", "", "{edge}[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?:[^0-9a-f-]|$)").with_run(50),
    define_secret_rule("mailchimp-key", "-us", "{edge}[0-9a-f]{32}-us[0-9]{1,2}"),
    define_secret_rule("brevo-key", "xkeysib-,xsmtpsib-", "x(?:key|smtp)sib-[A-Za-z0-9_-]{40,}"),
    define_secret_rule("resend-key", "re_", "{edge}re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,}"),
    define_secret_rule("mandrill-key", "md-", "{edge}md-[A-Za-z0-9_-]{22}(?:[^A-Za-z0-9_-]|$)"),
    define_secret_rule("mailersend-token", "mlsn.", r"{edge}mlsn\.[0-9a-f]{60,}"),
    define_secret_rule("intercom-token", "dg9r", "{edge}dG9rO[A-Za-z0-9+/]{30,}={0,2}"),
    define_secret_rule("onesignal-key", "os_v2_", "os_v2_(?:app|org)_[a-z0-9]{60,}"),
    define_secret_rule("pushbullet-token", "o.", r"{edge}o\.([A-Za-z0-9]{32})(?:[^A-Za-z0-9]|$)").with_judge(Strong).with_run(32),
    define_secret_rule("courier-key", "pk_prod_,pk_test_", "{edge}pk_(?:prod|test)_[A-Z0-9]{28}(?:[^A-Z0-9]|$)"),
    define_secret_rule("frameio-token", "fio-u-", "fio-u-[A-Za-z0-9_-]{40,}"),
    define_secret_rule("webex-token", "webex,ciscospark,_pf84_", "{edge}[A-Za-z0-9]{64}_[A-Za-z0-9]{4}_{uuid}"),
    // work tools.
    define_secret_rule("notion-token", "secret_,ntn_", "{edge}(?:secret_[A-Za-z0-9]{40,}|ntn_[A-Za-z0-9]{40,})"),
    define_secret_rule("linear-token", "lin_api_,lin_oauth_,lin_wh_", "lin_(?:api|oauth|wh)_[A-Za-z0-9]{30,}"),
    define_secret_rule("figma-token", "figd_,figp_,figu_,figo_,figor_,figur_", "{edge}fig[a-z]{1,3}_[A-Za-z0-9_-]{36,}"),
    define_secret_rule("asana-token", "", "{edge}[0-9]{1,5}/[0-9]{10,30}(?:/[0-9]{10,20})?:[A-Za-z0-9]{32,}").with_run(32),
    define_secret_rule("clickup-token", "pk_", "{edge}pk_[0-9]{5,9}_[A-Z0-9]{32,}"),
    define_secret_rule("contentful-token", "cfpat-", "CFPAT-[A-Za-z0-9_-]{40,}"),
    define_secret_rule("readme-key", "rdme_", "rdme_[a-z0-9]{60,}"),
    define_secret_rule("typeform-token", "tfp_", "{edge}tfp_[A-Za-z0-9_-]{36,}"),
    define_secret_rule("dropbox-token", "sl.", r"{edge}sl\.(?:u\.)?[A-Za-z0-9_-]{100,}").with_run(100),
    define_secret_rule("hubspot-token", "pat-na,pat-eu,pat-ap", "{edge}pat-(?:na|eu|ap)[0-9]-{uuid}"),
    define_secret_rule("salesforce-token", "00", "{edge}00[A-Za-z0-9]{13}![A-Za-z0-9._]{60,}").with_run(20),
    define_secret_rule("zoho-token", "1000.", r"{edge}1000\.[0-9a-f]{32}\.[0-9a-f]{32}"),
    define_secret_rule("sanity-token", "sk", "{edge}sk[A-Za-z0-9]{78,}(?:[^A-Za-z0-9]|$)").with_run(80),
    define_secret_rule("smooch-token", "act_,app_", "{edge}act_[a-z0-9]{24}"),
    define_secret_rule("front-token", "front", r"(?i)front[._-](?:key|token|secret)[._-][0-9A-Za-z]{20,}\."),
    define_secret_rule("nylas-key", "nyk_", "{edge}nyk_[A-Za-z0-9_]{30,}"),
    define_secret_rule("box-token", "box", "(?i)box.{0,20}(?:developer|access)[ _-]?token.{0,6}([A-Za-z0-9]{32})").with_judge(Strong),
    define_secret_rule("adafruit-key", "aio_", "{edge}aio_[A-Za-z0-9]{28}"),
    define_secret_rule("trufflehog-key", "thog-key-,thog-agent-", "thog-(?:key|agent)-[0-9a-f]{16,}"),
    define_secret_rule("teamwork-token", "tkn.v1_", r"tkn\.v1_[A-Za-z0-9+/=_-]{40,}"),
    define_secret_rule("telnyx-key", "key", "{edge}KEY[A-Za-z0-9]{20,40}(?:_|-)[A-Za-z0-9_-]{16,}").with_run(37),
    define_secret_rule("intra-42-secret", "s-s4t2,u-s4t2", "[su]-s4t2(?:ud|af)-[0-9a-f]{60,}"),
    define_secret_rule("maxmind-key", "_mmk", "[A-Za-z0-9]{4,8}_[A-Za-z0-9]{24,}_mmk"),
    define_secret_rule("nightfall-key", "nf-", "{edge}NF-[A-Za-z0-9]{32}"),
    define_secret_rule("ubidots-token", "bbff-,bbus-", "{edge}BB(?:FF|US)-[A-Za-z0-9]{30,}"),
    define_secret_rule("dependency-track-key", "odt_", "{edge}odt_[A-Za-z0-9_]{32,}"),
    define_secret_rule("dfuse-key", "web_,server_", "{edge}(?:web|server)_[0-9a-z]{32}(?:[^0-9A-Za-z_]|$)").with_judge(Strong),
    define_secret_rule("flexport-token", "shltm_", "shltm_[A-Za-z0-9_-]{36,}"),
    define_secret_rule("fullstory-key", "na1.,eu1.", r"{edge}(?:na1|eu1)\.[A-Za-z0-9+/]{60,}"),
    define_secret_rule("beamer-key", "b_", "{edge}b_[A-Za-z0-9_=+/-]{44,}(?:[^A-Za-z0-9]|$)").with_judge(Strong).with_run(44),
    define_secret_rule("pubnub-key", "pub-c-,sub-c-,sec-c-", "{edge}(?:pub|sub|sec)-c-[A-Za-z0-9-]{30,}"),
    // money and shops.
    define_secret_rule("stripe-key", "sk_live_,sk_test_,rk_live_,rk_test_,sk_prod_", "{edge}[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,}"),
    define_secret_rule("stripe-short-key", "sk_live_,rk_live_,sk_test_,rk_test_", "{edge}[sr]k_(?:live|test)_([A-Za-z0-9]{10,15})").with_judge(Prefixed),
    define_secret_rule("stripe-webhook-secret", "whsec_", "whsec_[A-Za-z0-9+/]{24,}"),
    define_secret_rule("paystack-key", "sk_", "{edge}sk_[a-z]{1,8}_[A-Za-z0-9]{40,}"),
    define_secret_rule("shopify-token", "shpat_,shpca_,shppa_,shpss_,shpua_,shpit_,shptka_,shprt_", "shp[a-z]{2,3}_[0-9a-fA-F]{32}"),
    define_secret_rule("square-token", "sq0atp-,sq0csp-,sq0idp-,eaaa", "{edge}(?:sq0[a-z]{3}-[A-Za-z0-9_-]{22,}|EAAA[A-Za-z0-9_-]{60})"),
    define_secret_rule("braintree-token", "access_token$", r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    define_secret_rule("plaid-token", "access-sandbox-,access-development-,access-production-", "access-(?:sandbox|development|production)-{uuid}"),
    define_secret_rule("razorpay-key", "rzp_live_,rzp_test_", "rzp_(?:live|test)_[A-Za-z0-9]{14,}"),
    define_secret_rule("flutterwave-key", "flwseck", "FLWSECK(?:_TEST)?-[0-9A-Za-z]{12,}"),
    define_secret_rule("live-or-test-key", "live_,test_", "{edge}(?:[a-z0-9]{2,10}_)?(?:live|test)_{1,2}([A-Za-z0-9_-]{20,})").with_judge(Strong),
    define_secret_rule("twitch-stream-key", "live_", "{edge}live_[0-9]{6,12}_[A-Za-z0-9]{24,}"),
    define_secret_rule("shippo-token", "shippo_", "shippo_(?:live|test)_[0-9a-fA-F]{40}"),
    define_secret_rule("easypost-key", "eztk,ezak", "{edge}EZ[AT]K[A-Za-z0-9]{50,}"),
    define_secret_rule("duffel-token", "duffel_", "duffel_(?:live|test)_[A-Za-z0-9_=-]{40,}"),
    define_secret_rule("fleetbase-key", "flb_live_,flb_test_", "flb_(?:live|test)_[A-Za-z0-9]{20,}"),
    define_secret_rule("mercadopago-token", "app_usr-,test-", "(?:APP_USR|TEST)-[0-9]{12,18}-[0-9]{6}-[0-9a-f]{32}"),
    define_secret_rule("mercury-token", "secret-token:", "secret-token:[A-Za-z0-9_/-]{16,}"),
    define_secret_rule("paypal-token", "a21aa", "{edge}A21AA[A-Za-z0-9_-]{60,}"),
    define_secret_rule("adyen-key", "aqe", "{edge}AQE[a-z][A-Za-z0-9+/=.*{}^$#@!%&()_-]{60,}"),
    define_secret_rule("val-town-token", "vtwn_", "{edge}vtwn_[A-Za-z0-9]{20,}"),
    define_secret_rule("coinbase-key", "organizations/", "organizations/{uuid}/apiKeys/{uuid}"),
    // measuring and watching.
    define_secret_rule("new-relic-key", "nrak-,nrii-,nriq-,nrjs-,nrra-,nraa-,nrsp-", "NR(?:AK|II|IQ|JS|RA|AA|SP)-[A-Za-z0-9_-]{18,}"),
    define_secret_rule("new-relic-pixie-key", "px-api-,px-dep-", "{edge}px-(?:api|dep)-{uuid}"),
    define_secret_rule("new-relic-license-key", "nral", "[0-9a-zA-Z]{30,}NRAL"),
    define_secret_rule("grafana-token", "glsa_,glc_,eyjrijoi", "(?:glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/=_-]{32,}|eyJrIjoi[A-Za-z0-9+/=_-]{40,})"),
    define_secret_rule("sentry-token", "sntrys_,sntryu_", "sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    define_secret_rule("honeycomb-key", "hcaik_,hcalk_,hcxik_,hcbik_,hcamk_", "{edge}hc[a-z]{1,2}[imlk]k_[A-Za-z0-9]{30,}"),
    define_secret_rule("dynatrace-token", "dt0c01.,dt0s,dt0", r"dt0[a-zA-Z][0-9]{2}\.[A-Za-z0-9]{8,24}\.[A-Za-z0-9]{40,}"),
    define_secret_rule("posthog-key", "phx_,phs_,phc_,phr_", "{edge}ph[xsrc]_[A-Za-z0-9_]{30,}"),
    define_secret_rule("axiom-token", "xaat-,xapt-", "{edge}xa(?:at|pt)-{uuid}"),
    define_secret_rule("datadog-key", "datadog,dd_", r#"(?i)(?:datadog|dd_)[a-z_.-]{0,30}["':= -]{1,6}([0-9a-f]{32}|[0-9a-f]{40})(?:[^0-9a-f]|$)"#),
    define_secret_rule("pagerduty-key", "u+", r"{edge}u\+[A-Za-z0-9_+-]{18}(?:[^A-Za-z0-9]|$)"),
    define_secret_rule("okta-token", "okta", "(?i)okta.{0,30}[^A-Za-z0-9](00[A-Za-z0-9_-]{40})(?:[^A-Za-z0-9_-]|$)"),
    define_secret_rule("ssws-token", "ssws", r"(?i:SSWS)\s+([A-Za-z0-9_-]{30,})"),
    // social, maps, games.
    define_secret_rule("facebook-token", "eaa", "{edge}EAA(?:CEdEose0cBA[A-Za-z0-9]{16,}|[A-Za-z0-9]{60,})"),
    define_secret_rule("facebook-app-token", "", r"{edge}[0-9]{15,16}(?:\||%)[A-Za-z0-9_-]{27,40}(?:[^A-Za-z0-9_-]|$)").with_run(27),
    define_secret_rule("instagram-token", "igq", "{edge}IGQ[A-Za-z0-9_-]{60,}"),
    define_secret_rule("twitter-bearer", "aaaaaaaaaa", "A{18,24}[A-Za-z0-9%]{60,}"),
    define_secret_rule("twitch-oauth", "oauth:", "{edge}oauth:[a-z0-9]{30}"),
    define_secret_rule("mapbox-secret-token", "sk.ey", r"{edge}sk\.ey[A-Za-z0-9_.-]{30,}"),
    define_secret_rule("location-iq-key", "pk.", r"{edge}pk\.(?:[0-9a-f]{32}|[A-Za-z0-9_-]{32}(?:[^A-Za-z0-9_.-]|$))"),
    define_secret_rule("rapidapi-key", "msh", "[0-9a-z]{10}msh[0-9a-z]{15}p1[0-9a-z]{6}jsn[0-9a-z]{12}"),
    define_secret_rule("riot-key", "rgapi-", "RGAPI-{uuid}"),
    define_secret_rule("roblox-cookie", "_|warning:-do-not-share", r"_\|WARNING:-DO-NOT-SHARE[^\s]{40,}"),
    define_secret_rule("ably-key", "", r"{edge}[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{6}:[A-Za-z0-9_-]{43}(?:[^A-Za-z0-9_-]|$)").with_run(43),
    // general rules, the widest last.
    define_secret_rule("branded-token", "", "{edge}([a-z][a-z0-9]{1,11}[_-](?:[a-z0-9]{1,8}[_-]){0,2}[A-Za-z0-9]{24,})").with_judge(Branded).with_run(27),
    define_secret_rule("authorization-bearer", "bearer", r#"(?i)bearer[\s:=]{1,4}["'`]{0,2}{value}"#).with_judge(Password),
    define_secret_rule("authorization-basic", "basic", "(?i)basic[ ]{1,3}([A-Za-z0-9+/]{12,}={0,2})").with_judge(Strong),
    define_secret_rule("command-line-password", "-u,--user,sshpass", r#"(?:(?:\s-u|--user)[ =]{0,2}["']?[A-Za-z0-9_.@-]+:|sshpass\s+-p\s{0,3}["']?){value}"#).with_judge(Password),
    define_secret_rule("netrc-password", "login", r"(?i)login\s+\S+\s+password\s+{value}").with_judge(Password),
];
