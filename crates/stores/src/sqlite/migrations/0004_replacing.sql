-- What was made to take the place of another memory is found by that one's id, which the record has as a text: a
-- correction made on a branch is kept beside what it corrects. Few active memories have it.
CREATE INDEX memory_replacing ON memory(space, substr(record, instr(record, '"supersedes":"') + 14, 36))
  WHERE stage = 'active' AND instr(record, '"supersedes":"') > 0;
