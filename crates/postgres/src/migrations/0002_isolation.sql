-- Isolation. A transaction says which space it is about ('*': all that its role may see), and the grants say which spaces the
-- role may see at all; both hold for every row that is read and for every row that is written. The owner of the tables is
-- held to it as well. Each sub-select is evaluated once a statement; `space = ` is leak-proof, so the keys are still used.
ALTER TABLE apostille_space ENABLE ROW LEVEL SECURITY;
ALTER TABLE apostille_space FORCE ROW LEVEL SECURITY;
CREATE POLICY apostille_space_read ON apostille_space FOR SELECT USING (
  (space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user)));
CREATE POLICY apostille_space_insert ON apostille_space FOR INSERT
  WITH CHECK ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
CREATE POLICY apostille_space_update ON apostille_space FOR UPDATE
  USING ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')))
  WITH CHECK ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
CREATE POLICY apostille_space_delete ON apostille_space FOR DELETE
  USING ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
ALTER TABLE apostille_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE apostille_log FORCE ROW LEVEL SECURITY;
CREATE POLICY apostille_log_read ON apostille_log FOR SELECT USING (
  (space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user)));
CREATE POLICY apostille_log_insert ON apostille_log FOR INSERT
  WITH CHECK ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
CREATE POLICY apostille_log_update ON apostille_log FOR UPDATE
  USING ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')))
  WITH CHECK ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
CREATE POLICY apostille_log_delete ON apostille_log FOR DELETE
  USING ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
ALTER TABLE apostille_event_count ENABLE ROW LEVEL SECURITY;
ALTER TABLE apostille_event_count FORCE ROW LEVEL SECURITY;
CREATE POLICY apostille_event_count_read ON apostille_event_count FOR SELECT USING (
  (space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user)));
CREATE POLICY apostille_event_count_insert ON apostille_event_count FOR INSERT
  WITH CHECK ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
CREATE POLICY apostille_event_count_update ON apostille_event_count FOR UPDATE
  USING ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')))
  WITH CHECK ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
CREATE POLICY apostille_event_count_delete ON apostille_event_count FOR DELETE
  USING ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
ALTER TABLE agent_memory ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_memory FORCE ROW LEVEL SECURITY;
CREATE POLICY agent_memory_read ON agent_memory FOR SELECT USING (
  (space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user)));
CREATE POLICY agent_memory_insert ON agent_memory FOR INSERT
  WITH CHECK ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
CREATE POLICY agent_memory_update ON agent_memory FOR UPDATE
  USING ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')))
  WITH CHECK ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
CREATE POLICY agent_memory_delete ON agent_memory FOR DELETE
  USING ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
ALTER TABLE agent_memory_telemetry ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_memory_telemetry FORCE ROW LEVEL SECURITY;
CREATE POLICY agent_memory_telemetry_read ON agent_memory_telemetry FOR SELECT USING (
  (space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user)));
CREATE POLICY agent_memory_telemetry_insert ON agent_memory_telemetry FOR INSERT
  WITH CHECK ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
CREATE POLICY agent_memory_telemetry_update ON agent_memory_telemetry FOR UPDATE
  USING ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')))
  WITH CHECK ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
CREATE POLICY agent_memory_telemetry_delete ON agent_memory_telemetry FOR DELETE
  USING ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
ALTER TABLE apostille_cites ENABLE ROW LEVEL SECURITY;
ALTER TABLE apostille_cites FORCE ROW LEVEL SECURITY;
CREATE POLICY apostille_cites_read ON apostille_cites FOR SELECT USING (
  (space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user)));
CREATE POLICY apostille_cites_insert ON apostille_cites FOR INSERT
  WITH CHECK ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
CREATE POLICY apostille_cites_update ON apostille_cites FOR UPDATE
  USING ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')))
  WITH CHECK ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
CREATE POLICY apostille_cites_delete ON apostille_cites FOR DELETE
  USING ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
ALTER TABLE apostille_tail ENABLE ROW LEVEL SECURITY;
ALTER TABLE apostille_tail FORCE ROW LEVEL SECURITY;
CREATE POLICY apostille_tail_read ON apostille_tail FOR SELECT USING (
  (space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user)));
CREATE POLICY apostille_tail_insert ON apostille_tail FOR INSERT
  WITH CHECK ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
CREATE POLICY apostille_tail_update ON apostille_tail FOR UPDATE
  USING ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')))
  WITH CHECK ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
CREATE POLICY apostille_tail_delete ON apostille_tail FOR DELETE
  USING ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
ALTER TABLE apostille_posting ENABLE ROW LEVEL SECURITY;
ALTER TABLE apostille_posting FORCE ROW LEVEL SECURITY;
CREATE POLICY apostille_posting_read ON apostille_posting FOR SELECT USING (
  (space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user)));
CREATE POLICY apostille_posting_insert ON apostille_posting FOR INSERT
  WITH CHECK ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
CREATE POLICY apostille_posting_update ON apostille_posting FOR UPDATE
  USING ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')))
  WITH CHECK ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
CREATE POLICY apostille_posting_delete ON apostille_posting FOR DELETE
  USING ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
ALTER TABLE apostille_embedding ENABLE ROW LEVEL SECURITY;
ALTER TABLE apostille_embedding FORCE ROW LEVEL SECURITY;
CREATE POLICY apostille_embedding_read ON apostille_embedding FOR SELECT USING (
  (space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user)));
CREATE POLICY apostille_embedding_insert ON apostille_embedding FOR INSERT
  WITH CHECK ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
CREATE POLICY apostille_embedding_update ON apostille_embedding FOR UPDATE
  USING ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')))
  WITH CHECK ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
CREATE POLICY apostille_embedding_delete ON apostille_embedding FOR DELETE
  USING ((space = (SELECT current_setting('apostille.space', true)) OR (SELECT current_setting('apostille.space', true)) = '*') AND ((SELECT EXISTS (SELECT 1 FROM apostille_grant g WHERE g.member = current_user AND g.space = '*' AND g.access = 'write'))
    OR space IN (SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write')));
-- A role sees what it was granted, and changes none of it. The owner does.
ALTER TABLE apostille_grant ENABLE ROW LEVEL SECURITY;
CREATE POLICY apostille_grant_own ON apostille_grant FOR SELECT USING (member = current_user);
