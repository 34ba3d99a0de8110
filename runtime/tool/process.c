/* Running other programs: no shell, a time limit, and Ctrl-C stops what runs and keeps what is
 * known. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bundle.h"

static volatile sig_atomic_t stopped;

static void stop(int signal) {
  (void)signal;
  stopped = 1;
}

int is_stopped(void) { return stopped; }

void watch_for_stop(void) {
  struct sigaction action = {0};
  action.sa_handler = stop;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
}

static void redirect(const char *path, int flags, int to) {
  if (!path)
    return;
  int file = open(path, flags, 0644);
  if (file < 0 || dup2(file, to) < 0)
    _exit(STATUS_NOT_STARTED);
  close(file);
}

/* A program whose nestwarp-run was killed would write into the folder of the one that goes on. */
static void end_with(pid_t parent) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent)
    _exit(STATUS_NOT_STARTED);
}

static void become(const char *const *words, const process *how) {
  setpgid(0, 0);
  if (how->folder && chdir(how->folder))
    _exit(STATUS_NOT_STARTED);
  redirect("/dev/null", O_RDONLY, 0);
  redirect(how->output, O_WRONLY | O_CREAT | O_TRUNC, 1);
  redirect(how->errors, O_WRONLY | O_CREAT | O_TRUNC, 2);
  for (int i = 0; i < 8 && how->variables[i]; ++i)
    putenv((char *)how->variables[i]);
  execvp(words[0], (char *const *)words);
  _exit(STATUS_NOT_STARTED);
}

void in_parallel(int count, int most, void (*work)(int index, const void *context),
                 const void *context) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  int workers = processors < 1 ? 1 : processors > 64 ? 64 : (int)processors;
  pid_t children[64], parent = getpid();
  workers = workers > most ? most : workers;
  workers = workers > count ? count : workers;
  if (workers < 2) {
    for (int i = 0; i < count && !stopped; ++i)
      work(i, context);
    return;
  }
  for (int w = 0; w < workers; ++w)
    if ((children[w] = fork()) == 0) {
      end_with(parent);
      for (int i = w; i < count && !stopped; i += workers)
        work(i, context);
      _exit(0);
    }
  for (int w = 0; w < workers; ++w) {
    int is_told = 0;
    while (children[w] > 0 && waitpid(children[w], NULL, WNOHANG) == 0) {
      if (stopped && !is_told)
        is_told = kill(children[w], SIGTERM) == 0; /* it stops what it runs */
      struct timespec wait = {0, 2000000};
      nanosleep(&wait, NULL);
    }
    for (int i = w; children[w] < 0 && i < count && !stopped; i += workers)
      work(i, context); /* it could not be started */
  }
}

int run_process(const char *const *words, const process *how) {
  time_t begin = time(NULL);
  if (stopped)
    return STATUS_STOPPED;
  pid_t parent = getpid(), child = fork();
  if (child < 0)
    return STATUS_NOT_STARTED;
  if (child == 0) {
    end_with(parent);
    become(words, how);
  }
  setpgid(child, child);
  for (;;) {
    int status = 0;
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child)
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    int late = how->seconds > 0 && time(NULL) - begin > how->seconds;
    if (stopped || late || ended < 0) {
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      return stopped ? STATUS_STOPPED : late ? STATUS_TOO_LONG : STATUS_NOT_STARTED;
    }
    struct timespec wait = {0, 5000000};
    nanosleep(&wait, NULL);
  }
}
