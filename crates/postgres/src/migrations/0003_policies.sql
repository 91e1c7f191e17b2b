-- The policies of 0002 in fewer words, which mean the same: every sub-select of a policy is planned with every statement about the
-- table, and four of them cost more than the statement. The one that is left asks which of the spaces that the transaction is
-- about the role was granted; it is evaluated once a statement. `space = ` is leak-proof, so the keys are used before the policy is.
DROP POLICY apostille_space_read ON apostille_space;
DROP POLICY apostille_space_insert ON apostille_space;
DROP POLICY apostille_space_update ON apostille_space;
DROP POLICY apostille_space_delete ON apostille_space;
CREATE POLICY apostille_space_read ON apostille_space FOR SELECT USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_space_insert ON apostille_space FOR INSERT WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_space_update ON apostille_space FOR UPDATE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*')))) WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_space_delete ON apostille_space FOR DELETE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
DROP POLICY apostille_log_read ON apostille_log;
DROP POLICY apostille_log_insert ON apostille_log;
DROP POLICY apostille_log_update ON apostille_log;
DROP POLICY apostille_log_delete ON apostille_log;
CREATE POLICY apostille_log_read ON apostille_log FOR SELECT USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_log_insert ON apostille_log FOR INSERT WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_log_update ON apostille_log FOR UPDATE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*')))) WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_log_delete ON apostille_log FOR DELETE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
DROP POLICY apostille_event_count_read ON apostille_event_count;
DROP POLICY apostille_event_count_insert ON apostille_event_count;
DROP POLICY apostille_event_count_update ON apostille_event_count;
DROP POLICY apostille_event_count_delete ON apostille_event_count;
CREATE POLICY apostille_event_count_read ON apostille_event_count FOR SELECT USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_event_count_insert ON apostille_event_count FOR INSERT WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_event_count_update ON apostille_event_count FOR UPDATE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*')))) WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_event_count_delete ON apostille_event_count FOR DELETE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
DROP POLICY agent_memory_read ON agent_memory;
DROP POLICY agent_memory_insert ON agent_memory;
DROP POLICY agent_memory_update ON agent_memory;
DROP POLICY agent_memory_delete ON agent_memory;
CREATE POLICY agent_memory_read ON agent_memory FOR SELECT USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY agent_memory_insert ON agent_memory FOR INSERT WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY agent_memory_update ON agent_memory FOR UPDATE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*')))) WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY agent_memory_delete ON agent_memory FOR DELETE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
DROP POLICY agent_memory_telemetry_read ON agent_memory_telemetry;
DROP POLICY agent_memory_telemetry_insert ON agent_memory_telemetry;
DROP POLICY agent_memory_telemetry_update ON agent_memory_telemetry;
DROP POLICY agent_memory_telemetry_delete ON agent_memory_telemetry;
CREATE POLICY agent_memory_telemetry_read ON agent_memory_telemetry FOR SELECT USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY agent_memory_telemetry_insert ON agent_memory_telemetry FOR INSERT WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY agent_memory_telemetry_update ON agent_memory_telemetry FOR UPDATE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*')))) WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY agent_memory_telemetry_delete ON agent_memory_telemetry FOR DELETE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
DROP POLICY apostille_cites_read ON apostille_cites;
DROP POLICY apostille_cites_insert ON apostille_cites;
DROP POLICY apostille_cites_update ON apostille_cites;
DROP POLICY apostille_cites_delete ON apostille_cites;
CREATE POLICY apostille_cites_read ON apostille_cites FOR SELECT USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_cites_insert ON apostille_cites FOR INSERT WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_cites_update ON apostille_cites FOR UPDATE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*')))) WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_cites_delete ON apostille_cites FOR DELETE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
DROP POLICY apostille_tail_read ON apostille_tail;
DROP POLICY apostille_tail_insert ON apostille_tail;
DROP POLICY apostille_tail_update ON apostille_tail;
DROP POLICY apostille_tail_delete ON apostille_tail;
CREATE POLICY apostille_tail_read ON apostille_tail FOR SELECT USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_tail_insert ON apostille_tail FOR INSERT WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_tail_update ON apostille_tail FOR UPDATE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*')))) WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_tail_delete ON apostille_tail FOR DELETE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
DROP POLICY apostille_posting_read ON apostille_posting;
DROP POLICY apostille_posting_insert ON apostille_posting;
DROP POLICY apostille_posting_update ON apostille_posting;
DROP POLICY apostille_posting_delete ON apostille_posting;
CREATE POLICY apostille_posting_read ON apostille_posting FOR SELECT USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_posting_insert ON apostille_posting FOR INSERT WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_posting_update ON apostille_posting FOR UPDATE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*')))) WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_posting_delete ON apostille_posting FOR DELETE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
DROP POLICY apostille_embedding_read ON apostille_embedding;
DROP POLICY apostille_embedding_insert ON apostille_embedding;
DROP POLICY apostille_embedding_update ON apostille_embedding;
DROP POLICY apostille_embedding_delete ON apostille_embedding;
CREATE POLICY apostille_embedding_read ON apostille_embedding FOR SELECT USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_embedding_insert ON apostille_embedding FOR INSERT WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_embedding_update ON apostille_embedding FOR UPDATE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*')))) WITH CHECK (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
CREATE POLICY apostille_embedding_delete ON apostille_embedding FOR DELETE USING (current_setting('apostille.space', true) IN (space, '*') AND ARRAY[space, '*']
  && ARRAY(SELECT g.space FROM apostille_grant g WHERE g.member = current_user AND g.access = 'write' AND (g.space = '*' OR current_setting('apostille.space', true) IN (g.space, '*'))));
