-- One more word is counted: `ran`, a command that a memory names was seen to run. Records may have `evidence`, `names` and
-- `runs` from now on; a program that does not know them would lose them, so it refuses the file by this version.
ALTER TABLE space ADD COLUMN ran INTEGER NOT NULL DEFAULT 0;
