-- Vectors that a local model made of the texts of active memories. A cache: they are in no sum and can be made again.
-- `text` is the digest of the text, `vector` a scale and one byte for each number.
CREATE TABLE embedding(
  space  INTEGER NOT NULL,
  model  TEXT NOT NULL,
  number INTEGER NOT NULL,
  text   BLOB NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY(space, model, number)
) WITHOUT ROWID;
