#pragma once
int scale(int n, int a[n]);         // a[i] = FACTOR * i, and the last of them
int total(int n, const int a[n]);   // in a shared library
int fixed(int n, int a[n]);         // in a static library
