//! Every store is held to the core's contract, and then to the world: many processes, crashes, damage, full disks.

mod contract;
