/* Processes that share a bundle: the ranks of an MPI job or the tasks of Slurm, each with its part
 * of the candidates. The variables that start them say which is which; no library of MPI is needed.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "bundle.h"

/* A number from the environment; -1 where there is none. */
static int number_from(const char *name) {
  const char *text = getenv(name);
  return text && *text && strlen(text) < 9 && strspn(text, "0123456789") == strlen(text)
             ? atoi(text)
             : -1;
}

typedef struct rank_and_size {
  int rank, size;
} rank_and_size;

/* 0 of 1 where the two make no sense. */
static rank_and_size rank_and_size_of(int rank, int size) {
  return rank >= 0 && size > 1 && rank < size && size <= 10000 ? (rank_and_size){rank, size}
                                                               : (rank_and_size){0, 1};
}

/* Among the processes of one job. A batch script of Slurm's has a rank, too, but is alone. */
static rank_and_size among_ranks(void) {
  int is_script = getenv("SLURM_JOB_ID") && !getenv("SLURM_STEP_ID");
  int tasks = is_script                                 ? -1
              : number_from("SLURM_STEP_NUM_TASKS") > 0 ? number_from("SLURM_STEP_NUM_TASKS")
                                                        : number_from("SLURM_NTASKS");
  const rank_and_size known[] = {
      rank_and_size_of(number_from("OMPI_COMM_WORLD_RANK"), number_from("OMPI_COMM_WORLD_SIZE")),
      rank_and_size_of(number_from("PMI_RANK"), number_from("PMI_SIZE")),
      rank_and_size_of(number_from("PMIX_RANK"), number_from("PMIX_SIZE")),
      rank_and_size_of(number_from("PMIX_RANK"), tasks),
      rank_and_size_of(number_from("SLURM_PROCID"), tasks)};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (known[i].size > 1)
      return known[i];
  return rank_and_size_of(0, 1);
}

/* Among the tasks of a Slurm array, whose numbers may begin anywhere and have gaps. */
static rank_and_size among_tasks(void) {
  int task = number_from("SLURM_ARRAY_TASK_ID"), first = number_from("SLURM_ARRAY_TASK_MIN"),
      step = number_from("SLURM_ARRAY_TASK_STEP");
  return rank_and_size_of(
      task < 0 || first < 0 || task < first ? -1 : (task - first) / (step > 0 ? step : 1),
      number_from("SLURM_ARRAY_TASK_COUNT"));
}

void part_from_environment(int *part, int *parts) {
  rank_and_size ranks = among_ranks(), tasks = among_tasks();
  *part = tasks.rank * ranks.size + ranks.rank;
  *parts = tasks.size * ranks.size;
}

int read_part(const char *text, int *part, int *parts) {
  char *end;
  long k = strtol(text, &end, 10);
  if (end == text || *end != '/' || k < 1)
    return 0;
  const char *second = end + 1;
  long n = strtol(second, &end, 10);
  if (end == second || *end || n < k || n > 100000)
    return 0;
  *part = (int)k - 1;
  *parts = (int)n;
  return 1;
}
