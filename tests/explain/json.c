// The same as JSON: stable keys, totals of the region, and what stays on the host with its reason.
// RUN: %nestwarp explain %s --registers=model --size n=1000 --format=json | FileCheck %s
// CHECK: "version": 1,
// CHECK: "device": "h200",
// CHECK-NEXT: "registersFrom": "model",
// CHECK-NEXT: "seconds": [[TOTAL:[0-9.e-]+]],
// CHECK: "function": "scale",
// CHECK: "sizes": {
// CHECK-NEXT: "n": 1000
// CHECK: "seconds": [[TOTAL]],
// CHECK-NEXT: "transferSeconds": {
// CHECK: "toDeviceBytes": 4000.0,
// CHECK: "fitsSecondLevelCache": true,
// CHECK: "kernels": [
// CHECK: "name": "scale_0_step0",
// CHECK: "launches": 1.0,
// CHECK: "block": [
// CHECK: "loops": [
// CHECK: "mapping": "threads x",
// CHECK: "registers": {{[0-9]+}},
// CHECK: "occupancy": {
// CHECK: "limiter": "thread contexts"
// CHECK: "instructionsPerThread": {
// CHECK: "multiply": 1.0,
// CHECK: "loadGlobal": 1.0,
// CHECK: "bottleneck": "kernel launches",
// CHECK: "limits": [
// CHECK: "arrays": [
// CHECK: "text": "a[i]",
// CHECK: "pattern": "coalesced",
// CHECK: "warpAccesses": 32.0,
// CHECK: "transactionsPerAccess": {{3.9|4.0}}
// CHECK: "patterns": [
// CHECK: "statement": "S0",
// CHECK-NEXT: "access": "load",
// CHECK-NEXT: "columns": [
// CHECK-NEXT: "i=tx"
// CHECK: "matrix": [
// CHECK: "offset": [
// CHECK-NEXT: "0"
// CHECK: "interThread": "true linear",
// CHECK-NEXT: "intraThread": "no",
// CHECK-NEXT: "coalesced": true,
// CHECK-NEXT: "sameAddress": false,
// CHECK-NEXT: "prefetchCandidate": false
// CHECK: "totals": [
// CHECK: "alternatives": [
// CHECK: "obstacles":
// CHECK: "host": [
// CHECK: "code": "NW0201",
// CHECK-NEXT: "line": [[#@LINE+6]],
// CHECK-NEXT: "reason": "no loop of this nest is parallel
void scale(int n, float *a) {
  for (int i = 0; i < n; i++)
    a[i] = 2 * a[i];
  int x = 1;
  for (int i = 0; i < n; i++)
    x = (x * 5 + 3) % 1001;
  a[0] += x;
}
