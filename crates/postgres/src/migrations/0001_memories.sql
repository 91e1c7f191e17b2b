-- Which role of the database may do what in which space; '*' is every space. A role that is not named here sees nothing.
CREATE TABLE apostille_grant(
  member text NOT NULL,
  space  text COLLATE "C" NOT NULL,
  access text NOT NULL CHECK (access IN ('read', 'write')),
  PRIMARY KEY (member, space)
);

-- One row a space. Writers of memories queue at it; what is only counted does not. Rows that are written over all the time
-- have room beside them, so that no index has to be touched for it.
CREATE TABLE apostille_space(
  space       text COLLATE "C" PRIMARY KEY,
  last_number bigint NOT NULL DEFAULT 0,
  n_docs      bigint NOT NULL DEFAULT 0,
  total_len   bigint NOT NULL DEFAULT 0,
  terms       bigint NOT NULL DEFAULT 0,
  breakers    text
) WITH (fillfactor = 40);

-- The last place of a space's log, apart, so that a showing never waits for a writer's work, only for its commit.
CREATE TABLE apostille_log(
  space    text COLLATE "C" PRIMARY KEY,
  last_seq bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 40);
CREATE TABLE apostille_event_count(
  space text COLLATE "C" NOT NULL,
  event text COLLATE "C" NOT NULL,
  n     bigint NOT NULL,
  PRIMARY KEY (space, event)
) WITH (fillfactor = 40);

-- The memories, with the columns that people and dashboards read. `record` is the whole of a memory in JSON and what this
-- program reads; `seal` is the beginning of its SHA-256, so that a record changed by hand is noticed.
CREATE TABLE agent_memory(
  space              text COLLATE "C" NOT NULL,
  number             bigint NOT NULL,
  id                 uuid NOT NULL,
  repo               text NOT NULL,
  subject            text,
  fact               text NOT NULL,
  citations          jsonb NOT NULL,
  reason             text,
  created_by         text,
  created_at         timestamptz NOT NULL,
  refreshed_at       timestamptz NOT NULL,
  status             text COLLATE "C" NOT NULL,
  supersedes         uuid,
  superseded_by      uuid,
  verification_count bigint NOT NULL DEFAULT 0,
  recall_count       bigint NOT NULL DEFAULT 0,
  applied_count      bigint NOT NULL DEFAULT 0,
  layer              text COLLATE "C" NOT NULL,
  kind               text COLLATE "C" NOT NULL,
  origin             text COLLATE "C" NOT NULL,
  task               text,
  tags               jsonb NOT NULL,
  claim              bytea NOT NULL,
  record             text NOT NULL,
  seal               bytea NOT NULL,
  PRIMARY KEY (space, number)
) WITH (fillfactor = 85);
CREATE UNIQUE INDEX agent_memory_id ON agent_memory(space, id);
CREATE UNIQUE INDEX agent_memory_claim ON agent_memory(space, claim) WHERE status IN ('active', 'pending');
CREATE INDEX agent_memory_created ON agent_memory(space, created_at, number);
CREATE INDEX agent_memory_refreshed ON agent_memory(space, refreshed_at, number);
CREATE INDEX agent_memory_replacing ON agent_memory(space, supersedes) WHERE supersedes IS NOT NULL;
-- An id alone does not tell its space.
CREATE INDEX agent_memory_anywhere ON agent_memory(id);

-- The log: what happened, place by place. `batch` is the write that brought it, by which a write whose answer was lost is
-- found again.
CREATE TABLE agent_memory_telemetry(
  space      text COLLATE "C" NOT NULL,
  seq        bigint NOT NULL,
  memory_id  uuid,
  event      text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  created_by text,
  record     text NOT NULL,
  batch      uuid NOT NULL,
  PRIMARY KEY (space, seq)
);
CREATE INDEX agent_memory_telemetry_memory ON agent_memory_telemetry(space, memory_id, seq) WHERE memory_id IS NOT NULL;

CREATE TABLE apostille_cites(
  space  text COLLATE "C" NOT NULL,
  path   text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  PRIMARY KEY (space, path, number)
);

-- New memories wait in the tail, one row each; when it is long they become a segment, one row for each term.
CREATE TABLE apostille_tail(
  space  text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  terms  bytea NOT NULL,
  PRIMARY KEY (space, number)
);
CREATE TABLE apostille_posting(
  space   text COLLATE "C" NOT NULL,
  term    text COLLATE "C" NOT NULL,
  segment bigint NOT NULL,
  entries bytea NOT NULL,
  PRIMARY KEY (space, term, segment)
);

-- Vectors that a local model made. A cache.
CREATE TABLE apostille_embedding(
  space  text COLLATE "C" NOT NULL,
  model  text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  text   bytea NOT NULL,
  vector bytea NOT NULL,
  PRIMARY KEY (space, model, number)
);

-- Tokens of the servers: their digests, never themselves. A server asks for the version with every request.
CREATE TABLE apostille_token(
  name   text COLLATE "C" PRIMARY KEY,
  record text NOT NULL
);
CREATE TABLE apostille_token_version(
  name    text PRIMARY KEY,
  version bigint NOT NULL
) WITH (fillfactor = 40);
INSERT INTO apostille_token_version(name, version) VALUES ('tokens', 0);
