// expect: host
// fp: exact
// feature: loops that chase pointers through a list and a tree stay on the host
#include <stdio.h>

#define N 97

struct node {
  int key;
  struct node *next, *left, *right;
};

static struct node nodes[N];

static unsigned seed = 262u;

static int rnd(int lo, int hi) {
  seed = seed * 1664525u + 1013904223u;
  return lo + (int)((seed >> 10) % (unsigned)(hi - lo + 1));
}

static struct node *reverse(struct node *list) {
  struct node *done = NULL;
  while (list) {
    struct node *rest = list->next;
    list->next = done;
    done = list;
    list = rest;
  }
  return done;
}

static void scale(struct node *list) {
  for (struct node *p = list; p; p = p->next)
    p->key = 2 * p->key + 1;
}

static void insert(struct node **tree, struct node *item) {
  while (*tree)
    tree = item->key < (*tree)->key ? &(*tree)->left : &(*tree)->right;
  *tree = item;
}

static void print_sorted(const struct node *tree) {
  if (!tree)
    return;
  print_sorted(tree->left);
  printf("%d ", tree->key);
  print_sorted(tree->right);
}

int main(void) {
  struct node *list = NULL, *tree = NULL;
  for (int i = 0; i < N; i++) {
    nodes[i].key = rnd(-500, 500);
    nodes[i].next = list;
    list = &nodes[i];
  }
  scale(list);
  list = reverse(list);
  for (struct node *p = list; p; p = p->next)
    insert(&tree, p);
  for (const struct node *p = list; p; p = p->next)
    printf("%d ", p->key);
  printf("\n");
  print_sorted(tree);
  printf("\n");
  return 0;
}
