// What Carom asks a library first: one of a version that no header has.
extern "C" int mj_version() { return 1002003; }
