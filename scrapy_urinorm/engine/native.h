/* What the files of the C module share.
 *
 * None is returned as Py_NewRef(Py_None): Py_RETURN_NONE in the headers of Python 3.12 and later takes it for immortal,
 * which it is not on 3.11, where the same build runs. Nor may a format have a '#': since 3.13 the headers name the
 * function that refuses it on 3.11.
 */
#ifndef URINORM_NATIVE_H
#define URINORM_NATIVE_H

#define PY_SSIZE_T_CLEAN
/* Py_GIL_DISABLED is defined here, by the build of Python: a free-threaded one has no stable ABI yet. Python.h includes
 * this file too, but reads Py_LIMITED_API after that. */
#include <pyconfig.h>
#if !defined(Py_LIMITED_API) && !defined(Py_GIL_DISABLED)
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t octet;

/* visits/features.c */
void fill_text_tables(void);
PyObject *native_text(PyObject *module, PyObject *const *args, Py_ssize_t count);
extern const char text_doc[];

/* visits/hashes.c */
enum { BEST_WAY = 2 };
int hash_by(int most);
PyObject *native_hash_by(PyObject *module, PyObject *most);
extern const char hash_by_doc[];

/* visits/markup.c */
PyObject *native_page(PyObject *module, PyObject *const *args, Py_ssize_t count);
extern const char page_doc[];

/* visits/written.c */
void fill_markup_tables(void);
PyObject *native_written(PyObject *module, PyObject *const *args, Py_ssize_t count);
extern const char written_doc[];

/* visits/pairs.c */
PyObject *native_names(PyObject *module, PyObject *const *args, Py_ssize_t count);
extern const char names_doc[];

/* visits/marks.c */
PyObject *native_found(PyObject *module, PyObject *const *args, Py_ssize_t count);
extern const char found_doc[];

/* visits/values.c */
PyObject *native_values(PyObject *module, PyObject *const *args, Py_ssize_t count);
extern const char values_doc[];

/* seen/table.c: the type Table, added to the module; -1 with an error set */
int add_table(PyObject *module);

#endif
