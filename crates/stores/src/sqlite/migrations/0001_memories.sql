CREATE TABLE meta(
  key   TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) WITHOUT ROWID;

-- One column counts the events of each word: the row is written anyway, and a table of its own would cost a page more.
CREATE TABLE space(
  id               INTEGER PRIMARY KEY,
  name             TEXT NOT NULL UNIQUE,
  last_number      INTEGER NOT NULL DEFAULT 0,
  n_docs           INTEGER NOT NULL DEFAULT 0,
  total_len        INTEGER NOT NULL DEFAULT 0,
  remembered       INTEGER NOT NULL DEFAULT 0,
  refreshed        INTEGER NOT NULL DEFAULT 0,
  superseded       INTEGER NOT NULL DEFAULT 0,
  corrected        INTEGER NOT NULL DEFAULT 0,
  invalidated      INTEGER NOT NULL DEFAULT 0,
  retired          INTEGER NOT NULL DEFAULT 0,
  approved         INTEGER NOT NULL DEFAULT 0,
  verified_valid   INTEGER NOT NULL DEFAULT 0,
  verified_invalid INTEGER NOT NULL DEFAULT 0,
  retrieved        INTEGER NOT NULL DEFAULT 0,
  applied          INTEGER NOT NULL DEFAULT 0,
  refused          INTEGER NOT NULL DEFAULT 0,
  forgotten        INTEGER NOT NULL DEFAULT 0
);

-- key = number << 22 | space: new memories lie together at the end, so that a write seldom splits a full page.
-- record is the memory in JSON, format 1; seal is the beginning of its SHA-256.
CREATE TABLE memory(
  key          INTEGER PRIMARY KEY,
  id           BLOB NOT NULL UNIQUE,
  space        INTEGER NOT NULL,
  layer        TEXT NOT NULL,
  stage        TEXT NOT NULL,
  claim        BLOB NOT NULL,
  recorded_at  INTEGER NOT NULL,
  refreshed_at INTEGER NOT NULL,
  record       TEXT NOT NULL,
  seal         BLOB NOT NULL
);
CREATE UNIQUE INDEX memory_claim ON memory(space, claim) WHERE stage IN ('active', 'pending');
CREATE INDEX memory_recorded ON memory(space, recorded_at, key, stage, layer);
-- Most memories are never refreshed: those are found by the time they were recorded.
CREATE INDEX memory_refreshed ON memory(space, refreshed_at, key, stage, layer) WHERE refreshed_at <> recorded_at;

-- Counters live apart, so that a showing rewrites a few bytes and no text.
CREATE TABLE usage(
  key      INTEGER PRIMARY KEY,
  recalls  INTEGER NOT NULL DEFAULT 0,
  applied  INTEGER NOT NULL DEFAULT 0,
  verified INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE cites(
  space  INTEGER NOT NULL,
  path   TEXT NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY(space, path, number)
) WITHOUT ROWID;

-- New memories wait in the tail, one row each; when it is long they become a segment, one row for each term.
CREATE TABLE tail(
  space  INTEGER NOT NULL,
  number INTEGER NOT NULL,
  terms  BLOB NOT NULL,
  PRIMARY KEY(space, number)
) WITHOUT ROWID;
CREATE TABLE posting(
  space   INTEGER NOT NULL,
  term    TEXT NOT NULL,
  segment INTEGER NOT NULL,
  entries BLOB NOT NULL,
  PRIMARY KEY(space, term, segment)
) WITHOUT ROWID;

CREATE TABLE event(
  seq    INTEGER PRIMARY KEY,
  space  INTEGER NOT NULL,
  memory BLOB,
  name   TEXT NOT NULL,
  record TEXT NOT NULL
);
