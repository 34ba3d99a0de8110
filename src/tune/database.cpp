// The database in SQLite.
#include "tune/database.h"
#include "support/diagnostics.h"
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

namespace nw {

namespace fs = std::filesystem;

namespace {

constexpr int kApplication = 0x6e777475; // "nwtu", in the file's header
constexpr int kFormat = 1;               // of the table
constexpr int kMilliseconds = 20000;     // that another process may take to write

const char *const kTable =
    "CREATE TABLE IF NOT EXISTS results (program TEXT, planned TEXT, backend TEXT, device TEXT, "
    "sizes TEXT, version INTEGER, compiler TEXT, plan TEXT, what TEXT,"
    " milliseconds REAL, spread REAL, untuned REAL, date TEXT, PRIMARY KEY (program, planned, "
    "backend, device, sizes, version))";

// A prepared statement, finished at the end.
class Statement {
public:
  Statement(sqlite3 *handle, const char *text) {
    status = sqlite3_prepare_v2(handle, text, -1, &statement, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement); }
  Statement(const Statement &) = delete;
  void bind(int at, const std::string &text) {
    sqlite3_bind_text(statement, at, text.c_str(), int(text.size()), SQLITE_TRANSIENT);
  }
  void bind(int at, double number) { sqlite3_bind_double(statement, at, number); }
  void bind(int at, int number) { sqlite3_bind_int(statement, at, number); }
  bool step() {
    return status == SQLITE_OK && (status = sqlite3_step(statement)) == SQLITE_ROW &&
           (status = SQLITE_OK, true);
  }
  bool isDone() const { return status == SQLITE_DONE; }
  std::string text(int at) const {
    const unsigned char *found = sqlite3_column_text(statement, at);
    return found ? std::string(reinterpret_cast<const char *>(found),
                               size_t(sqlite3_column_bytes(statement, at)))
                 : "";
  }
  double number(int at) const { return sqlite3_column_double(statement, at); }

  int status;

private:
  sqlite3_stmt *statement = nullptr;
};

// A lock on the file's neighbour for as long as it lives: two processes must not both set the same
// file aside, and then each other's new one.
class Lock {
public:
  explicit Lock(const std::string &path)
      : file(::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (file >= 0)
      flock(file, LOCK_EX);
  }
  ~Lock() {
    if (file >= 0)
      ::close(file);
  }
  Lock(const Lock &) = delete;

private:
  int file;
};

// Whether a file begins as ours do, whatever has become of the rest: SQLite's name, and at its
// place in the header the application's number.
bool beginsAsOurs(const std::string &path) {
  constexpr size_t kHeader = 100, kAt = 68;
  const std::string name("SQLite format 3\0", 16);
  std::string header(kHeader, '\0');
  std::ifstream(path, std::ios::binary).read(header.data(), std::streamsize(kHeader));
  int application = 0;
  for (size_t k = kAt; k < kAt + 4; k++)
    application = application << 8 | static_cast<unsigned char>(header[k]);
  return header.starts_with(name) && application == kApplication;
}

bool isDamage(int status) {
  return (status & 0xff) == SQLITE_CORRUPT || (status & 0xff) == SQLITE_NOTADB;
}

} // namespace

TuneDatabase::TuneDatabase(const DatabaseLocation &location, bool isWriter, Warn warn)
    : path(location.path), isWriter(isWriter), warn(std::move(warn)) {
  if (path.empty()) {
    if (isWriter)
      this->warn("there is nowhere to keep the database of tuning results: neither HOME nor "
                 "XDG_CACHE_HOME is set; give --db FILE");
    return;
  }
  std::error_code failed;
  if (isWriter && fs::path(path).has_parent_path())
    fs::create_directories(fs::path(path).parent_path(), failed);
  switch (open()) {
  case State::Good:
  case State::Absent:
    return;
  case State::Foreign: {
    if (location.isNamed && !beginsAsOurs(path)) {
      this->warn(fmt::format("{} cannot be used: {}; it stays as it is, name another file (--db){}",
                             path, problem, goingOn()));
      return;
    }
    Lock lock(path);
    if (State again = open(); again == State::Foreign)
      setAside(problem);
    return;
  }
  case State::Failed:
    this->warn(fmt::format("{} cannot be used: {}{}", path, problem, goingOn()));
  }
}

TuneDatabase::~TuneDatabase() { close(); }

void TuneDatabase::close() {
  sqlite3_close(handle);
  handle = nullptr;
}

bool TuneDatabase::run(const char *statement) {
  Statement s(handle, statement);
  s.step();
  if (!s.isDone() && s.status != SQLITE_OK)
    problem = sqlite3_errmsg(handle);
  return s.isDone() || s.status == SQLITE_OK;
}

TuneDatabase::State TuneDatabase::open() {
  close();
  std::error_code ignored;
  bool isThere = fs::exists(path, ignored);
  if (!isThere && !isWriter)
    return State::Absent;
  if (isThere && !fs::is_regular_file(path, ignored)) { // to open a pipe is to wait for its writer
    problem = "it is not a file";
    return State::Failed;
  }
  auto give = [&](State state) {
    problem = handle ? sqlite3_errmsg(handle) : "out of memory";
    close();
    return state;
  };
  int status = sqlite3_open_v2(
      path.c_str(), &handle,
      isWriter ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY, nullptr);
  if (status != SQLITE_OK)
    return give(State::Failed);
  sqlite3_busy_timeout(handle, kMilliseconds);
  auto pragma = [&](const char *text, int &value) {
    Statement s(handle, text);
    value = s.step() ? int(s.number(0)) : 0;
    return s.status;
  };
  // One at a time, so that nobody sees a file that another is just making.
  bool hasBegun = isWriter && run("BEGIN IMMEDIATE");
  int application = 0, format = 0, tables = 0;
  for (auto [text, value] : {std::pair{"PRAGMA application_id", &application},
                             {"PRAGMA user_version", &format},
                             {"SELECT count(*) FROM sqlite_master", &tables}})
    if (status = pragma(text, *value); status != SQLITE_OK)
      return give(isDamage(status) ? State::Foreign : State::Failed);
  if (isWriter && !hasBegun)
    return give(State::Failed); // read-only, or locked for too long
  bool isNew = application == 0 && format == 0 && tables == 0;
  if (!isNew && (application != kApplication || format != kFormat)) {
    close();
    problem = application == kApplication ? "it has another version"
                                          : "it is not a database of tuning results";
    return State::Foreign;
  }
  if (isNew && !isWriter) { // somebody is about to fill it
    close();
    return State::Absent;
  }
  bool isMade =
      !isNew || (run(fmt::format("PRAGMA application_id = {}", kApplication).c_str()) &&
                 run(fmt::format("PRAGMA user_version = {}", kFormat).c_str()) && run(kTable));
  if (isWriter && (!isMade || !run("COMMIT")))
    return give(State::Failed);
  return State::Good;
}

void TuneDatabase::setAside(const std::string &why) {
  close();
  std::string aside;
  for (int n = 1; n < 1000; n++)
    if (aside = fmt::format("{}.set-aside-{}", path, n); !fs::exists(aside))
      break;
  std::error_code failed;
  fs::rename(path, aside, failed);
  if (failed) {
    warn(fmt::format("{} cannot be used ({}) and cannot be set aside: {}{}", path, why,
                     failed.message(), goingOn()));
    return;
  }
  for (const char *part : {"-journal", "-wal", "-shm"})
    fs::remove(path + part, failed);
  warn(fmt::format("{} was set aside as {}: {}", path, aside, why));
  if (isWriter && open() != State::Good)
    warn(fmt::format("{} cannot be used: {}", path, problem));
}

std::vector<TunedResult> TuneDatabase::find(const std::string &program,
                                            const std::string &planned) {
  std::vector<TunedResult> all;
  if (!handle)
    return all;
  int status;
  {
    Statement s(handle, "SELECT backend, device, sizes, compiler, plan, what, milliseconds, "
                        "spread, untuned, date FROM results WHERE program = ? AND planned = ? AND "
                        "version = ? ORDER BY date DESC, device, sizes");
    s.bind(1, program);
    s.bind(2, planned);
    s.bind(3, kTuningVersion);
    while (s.step()) {
      TunedResult r{program,   planned,   s.text(0),   s.text(1),   {},          s.text(3),
                    s.text(4), s.text(5), s.number(6), s.number(7), s.number(8), s.text(9)};
      try {
        r.sizes = sizesOfKey(s.text(2));
        all.push_back(r);
      } catch (const UserError &) { // a row that somebody else wrote
      }
    }
    status = s.status;
  }
  if (isDamage(status)) {
    Lock lock(path);
    setAside(sqlite3_errmsg(handle));
    return {};
  }
  if (all.empty() && !hasNoted)
    noteOtherVersions(program, planned);
  return all;
}

void TuneDatabase::noteOtherVersions(const std::string &program, const std::string &planned) {
  Statement s(handle, "SELECT count(*) FROM results WHERE program = ? AND planned = ? AND "
                      "version <> ?");
  s.bind(1, program);
  s.bind(2, planned);
  s.bind(3, kTuningVersion);
  if (!s.step() || s.number(0) == 0)
    return;
  hasNoted = true;
  warn(fmt::format("{} has results for this program from another version of nestwarp, whose plans "
                   "are not understood: they are not used; run nestwarp tune again",
                   path));
}

bool TuneDatabase::put(const TunedResult &r) {
  if (!handle)
    return false;
  int status;
  {
    Statement s(handle, "INSERT OR REPLACE INTO results (program, planned, backend, device, sizes, "
                        "version, compiler, plan, what, milliseconds, spread, untuned, date) "
                        "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)");
    s.bind(1, r.program);
    s.bind(2, r.planned);
    s.bind(3, r.backend);
    s.bind(4, r.device);
    s.bind(5, sizesKey(r.sizes));
    s.bind(6, kTuningVersion);
    s.bind(7, r.compiler);
    s.bind(8, r.plan);
    s.bind(9, r.what);
    s.bind(10, r.milliseconds);
    s.bind(11, r.spread);
    s.bind(12, r.untuned);
    s.bind(13, r.date);
    s.step();
    status = s.status;
    if (s.isDone())
      return true;
  }
  std::string why = sqlite3_errmsg(handle);
  if (isDamage(status)) {
    Lock lock(path);
    setAside(why);
    return put(r); // into the new one, or nowhere
  }
  warn(fmt::format("{} cannot be written: {}", path, why));
  return false;
}

DatabaseLocation tuneDatabaseLocation(const std::string &given) {
  auto named = [](const char *variable) {
    const char *value = std::getenv(variable);
    return std::string(value ? value : "");
  };
  if (!given.empty())
    return {given, true};
  if (std::string path = named("NESTWARP_TUNE_DB"); !path.empty())
    return {path, true};
  if (std::string cache = named("XDG_CACHE_HOME"); !cache.empty() && cache[0] == '/')
    return {cache + "/nestwarp/tune.db"};
  std::string home = named("HOME");
  return {home.empty() ? "" : home + "/.cache/nestwarp/tune.db"};
}

} // namespace nw
