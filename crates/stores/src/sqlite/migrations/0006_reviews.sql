-- Two more words are counted: `pull_merged` and `pull_rejected`, how the pull request ended in whose work a memory was shown.
-- Records may have evidence of the kind `review` from now on.
ALTER TABLE space ADD COLUMN pull_merged INTEGER NOT NULL DEFAULT 0;
ALTER TABLE space ADD COLUMN pull_rejected INTEGER NOT NULL DEFAULT 0;
