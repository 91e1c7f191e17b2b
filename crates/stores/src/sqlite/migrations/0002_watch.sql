-- Four more words are counted. `breakers` is the list of open breakers in JSON, folded from the log; most spaces have none.
ALTER TABLE space ADD COLUMN restored    INTEGER NOT NULL DEFAULT 0;
ALTER TABLE space ADD COLUMN rolled_back INTEGER NOT NULL DEFAULT 0;
ALTER TABLE space ADD COLUMN tripped     INTEGER NOT NULL DEFAULT 0;
ALTER TABLE space ADD COLUMN closed      INTEGER NOT NULL DEFAULT 0;
ALTER TABLE space ADD COLUMN breakers    TEXT;

-- `sum` adds up the SHA-256 of every row of memories and events of the space, so that a row which was changed, added or
-- taken away by another program is noticed; `seal` is the beginning of an event's own, which says which one it was.
ALTER TABLE space ADD COLUMN sum  BLOB NOT NULL DEFAULT x'0000000000000000000000000000000000000000000000000000000000000000';
ALTER TABLE event ADD COLUMN seal BLOB;

-- What waits, and what was found wrong, is few among many: every write of an agent looks at it.
CREATE INDEX memory_waiting ON memory(space, recorded_at, key) WHERE stage IN ('pending', 'invalid');
