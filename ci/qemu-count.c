/* A plugin for QEMU's user mode: prints how many instructions a program has executed.
 *
 *     cc -shared -fPIC -O2 -o count.so ci/qemu-count.c
 *     qemu-aarch64 -plugin ./count.so PROGRAM
 *
 * Debian has the plugins' interface in QEMU, but no header for it. This is its version 1, of QEMU 4.2 to 8.2. Threads
 * that run at the same time may lose counts.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

struct qemu_plugin_tb;
typedef uint64_t plugin_id;
typedef void translated(plugin_id, struct qemu_plugin_tb *);
typedef void ended(plugin_id, void *);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, translated *);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int operation, void *to, uint64_t number);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
void qemu_plugin_register_atexit_cb(plugin_id, ended *, void *);

int qemu_plugin_version = 1;

static uint64_t executed;

/* A block of instructions is entered at its beginning only. */
static void count(plugin_id id, struct qemu_plugin_tb *block)
{
    enum { ADD = 0 };
    qemu_plugin_register_vcpu_tb_exec_inline(block, ADD, &executed, qemu_plugin_tb_n_insns(block));
}

static void print(plugin_id id, void *nothing)
{
    fprintf(stderr, "instructions: %" PRIu64 "\n", executed);
}

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
    qemu_plugin_register_vcpu_tb_trans_cb(id, count);
    qemu_plugin_register_atexit_cb(id, print, NULL);
    return 0;
}
