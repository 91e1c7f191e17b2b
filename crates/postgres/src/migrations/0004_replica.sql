-- What replicas of a space have told each other, where the store of one is shared by several machines: how far its log was read,
-- and the lines, in 256 parts by memory. `revision` counts the writes, so that of two that were decided on the same one only the
-- first is kept; `generation` counts the sets of lines.
CREATE TABLE apostille_replica(
  space      text COLLATE "C" PRIMARY KEY,
  revision   bigint NOT NULL,
  generation bigint NOT NULL,
  record     text NOT NULL
);
CREATE TABLE apostille_replica_part(
  space  text COLLATE "C" NOT NULL,
  part   bigint NOT NULL,
  lines  text NOT NULL,
  digest text NOT NULL,
  PRIMARY KEY (space, part)
);
ALTER TABLE apostille_replica ENABLE ROW LEVEL SECURITY;
ALTER TABLE apostille_replica FORCE ROW LEVEL SECURITY;
CREATE POLICY apostille_replica_read ON apostille_replica FOR SELECT USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_replica_insert ON apostille_replica FOR INSERT WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_replica_update ON apostille_replica FOR UPDATE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*')))) WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_replica_delete ON apostille_replica FOR DELETE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
ALTER TABLE apostille_replica_part ENABLE ROW LEVEL SECURITY;
ALTER TABLE apostille_replica_part FORCE ROW LEVEL SECURITY;
CREATE POLICY apostille_replica_part_read ON apostille_replica_part FOR SELECT USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_replica_part_insert ON apostille_replica_part FOR INSERT WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_replica_part_update ON apostille_replica_part FOR UPDATE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*')))) WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_replica_part_delete ON apostille_replica_part FOR DELETE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
