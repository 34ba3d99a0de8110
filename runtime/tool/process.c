/* Running other programs: no shell, a time limit, and Ctrl-C stops what runs and keeps what is known. */
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
