//! Cloth in which nothing passes through anything: asynchronous contact mechanics (Harmon 2012).
