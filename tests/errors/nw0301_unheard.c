// RUN: %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck --implicit-check-not=NW0301 %s
// Each word once in a file, where it stands first.
void wishes(int n, float a[n]) {
  // CHECK: nw0301_unheard.c:[[#@LINE+3]]:27: remark: 'num_gangs' is not honoured: it is only a hint; the planner chooses the grid [NW0301]
  // CHECK: nw0301_unheard.c:[[#@LINE+2]]:42: remark: 'vector_length' is not honoured: {{.*}} [NW0301]
  // CHECK: nw0301_unheard.c:[[#@LINE+1]]:60: remark: 'async' is not honoured: the host waits until the work is done [NW0301]
#pragma acc parallel loop num_gangs(128) vector_length(64) async(2) gang vector
  for (int i = 0; i < n; i++)
    a[i] = 1;
  // CHECK: nw0301_unheard.c:[[#@LINE+2]]:42: remark: 'tile' is not honoured: {{.*}} [NW0301]
  // CHECK: nw0301_unheard.c:[[#@LINE+1]]:50: remark: 'device_type' is not honoured: {{.*}} [NW0301]
#pragma acc parallel loop num_gangs(64)  tile(4) device_type(nvidia) gang
  for (int i = 0; i < n; i++)
    a[i] = 2;
}
// CHECK: region 0 of wishes
