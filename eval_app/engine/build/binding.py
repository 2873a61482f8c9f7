"""Light bindings: the parts of pybind11 that `load_inline(functions=[...])` needs, at a fifth of its compile time.

pybind11's templates are most of the cost of a generated main.cpp. The functions that candidates bind take
tensors, numbers, flags, strings and lists of them by position; the header below converts these as pybind11
does. A function with any other type does not compile with it, and is then built with pybind11 and the full
headers.
"""

import json
from collections.abc import Iterable

_HEADER = r"""
#pragma once
#include <Python.h>
#include <ATen/core/Tensor.h>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

extern PyObject* THPVariableClass;
PyObject* THPVariable_Wrap(const at::TensorBase& var);
namespace torch { void translate_exception_to_python(const std::exception_ptr&); }

namespace concur_binding {
@TENSOR_UNPACK@

struct Mismatch {};  // an argument of the wrong type: turned into TypeError

inline PyObject* checked(PyObject* made) { if (!made) throw Mismatch(); return made; }

template <class T, class = void> struct Caster {
  static_assert(!sizeof(T), "this type needs pybind11");
};

template <> struct Caster<at::Tensor> {
  static at::Tensor load(PyObject* o) {
    if (PyObject_IsInstance(o, THPVariableClass) != 1) throw Mismatch();
    return unpack(reinterpret_cast<THPVariable*>(o));
  }
  static PyObject* cast(const at::Tensor& t) { return THPVariable_Wrap(t); }
};

template <> struct Caster<bool> {
  static bool load(PyObject* o) {
    if (o == Py_True) return true;
    if (o == Py_False || o == Py_None) return false;
    auto* number = Py_TYPE(o)->tp_as_number;
    if (!number || !number->nb_bool) throw Mismatch();
    int truth = number->nb_bool(o);
    if (truth < 0) throw Mismatch();
    return truth != 0;
  }
  static PyObject* cast(bool v) { return PyBool_FromLong(v); }
};

template <class T> struct Caster<T, std::enable_if_t<std::is_integral_v<T> && (sizeof(T) > 1)>> {
  static T load(PyObject* o) {
    if (PyFloat_Check(o)) throw Mismatch();
    PyObject* whole = PyNumber_Index(o);
    if (!whole) {
      PyErr_Clear();
      whole = PyNumber_Check(o) ? PyNumber_Long(o) : nullptr;
    }
    checked(whole);
    T value{};
    bool fits;
    if constexpr (std::is_signed_v<T>) {
      long long wide = PyLong_AsLongLong(whole);
      value = static_cast<T>(wide);
      fits = !PyErr_Occurred() && static_cast<long long>(value) == wide;
    } else {
      unsigned long long wide = PyLong_AsUnsignedLongLong(whole);
      value = static_cast<T>(wide);
      fits = !PyErr_Occurred() && static_cast<unsigned long long>(value) == wide;
    }
    Py_DECREF(whole);
    if (!fits) throw Mismatch();
    return value;
  }
  static PyObject* cast(T v) {
    if constexpr (std::is_signed_v<T>) return PyLong_FromLongLong(v);
    else return PyLong_FromUnsignedLongLong(v);
  }
};

template <class T> struct Caster<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static T load(PyObject* o) {
    double value = PyFloat_AsDouble(o);
    if (value == -1.0 && PyErr_Occurred()) throw Mismatch();
    return static_cast<T>(value);
  }
  static PyObject* cast(T v) { return PyFloat_FromDouble(v); }
};

template <> struct Caster<std::string> {
  static std::string load(PyObject* o) {
    if (PyBytes_Check(o)) return {PyBytes_AS_STRING(o), static_cast<size_t>(PyBytes_GET_SIZE(o))};
    if (!PyUnicode_Check(o)) throw Mismatch();
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(o, &size);
    if (!text) throw Mismatch();
    return {text, static_cast<size_t>(size)};
  }
  static PyObject* cast(const std::string& v) { return PyUnicode_FromStringAndSize(v.data(), v.size()); }
};

template <class T> struct Caster<std::optional<T>> {
  static std::optional<T> load(PyObject* o) {
    if (o == Py_None) return std::nullopt;
    return Caster<T>::load(o);
  }
  static PyObject* cast(const std::optional<T>& v) { return v ? Caster<T>::cast(*v) : Py_NewRef(Py_None); }
};

template <class T> struct Caster<std::vector<T>> {
  static std::vector<T> load(PyObject* o) {
    if (!PySequence_Check(o) || PyUnicode_Check(o) || PyBytes_Check(o)) throw Mismatch();
    PyObject* fast = checked(PySequence_Fast(o, "a sequence is needed"));
    std::vector<T> values;
    try {
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast); ++i)
        values.push_back(Caster<T>::load(PySequence_Fast_GET_ITEM(fast, i)));
    } catch (...) {
      Py_DECREF(fast);
      throw;
    }
    Py_DECREF(fast);
    return values;
  }
  static PyObject* cast(const std::vector<T>& v) {
    PyObject* list = checked(PyList_New(static_cast<Py_ssize_t>(v.size())));
    for (size_t i = 0; i < v.size(); ++i) PyList_SET_ITEM(list, i, checked(Caster<T>::cast(v[i])));
    return list;
  }
};

template <class... Ts> struct Caster<std::tuple<Ts...>> {
  static PyObject* cast(const std::tuple<Ts...>& v) { return put(v, std::index_sequence_for<Ts...>{}); }
  template <size_t... I> static PyObject* put(const std::tuple<Ts...>& v, std::index_sequence<I...>) {
    PyObject* made = checked(PyTuple_New(sizeof...(Ts)));
    (PyTuple_SET_ITEM(made, I, checked(Caster<Ts>::cast(std::get<I>(v)))), ...);
    return made;
  }
};

template <class A, class B> struct Caster<std::pair<A, B>> {
  static PyObject* cast(const std::pair<A, B>& v) {
    return Caster<std::tuple<A, B>>::cast(std::make_tuple(v.first, v.second));
  }
};

template <class T> using Plain = std::remove_cv_t<std::remove_reference_t<T>>;

// A wrapped function: arguments by position, exceptions as torch translates them.
template <auto F> struct Bound;
template <class R, class... As, R (*F)(As...)> struct Bound<F> {
  template <size_t... I> static PyObject* invoke(PyObject* args, std::index_sequence<I...>) {
    std::tuple<Plain<As>...> values{Caster<Plain<As>>::load(PyTuple_GET_ITEM(args, I))...};
    if constexpr (std::is_void_v<R>) {
      F(static_cast<As>(std::get<I>(values))...);
      return Py_NewRef(Py_None);
    } else {
      return Caster<Plain<R>>::cast(F(static_cast<As>(std::get<I>(values))...));
    }
  }
  static PyObject* call(PyObject*, PyObject* args) {
    if (PyTuple_GET_SIZE(args) != static_cast<Py_ssize_t>(sizeof...(As))) {
      PyErr_Format(PyExc_TypeError, "incompatible function arguments: %zd given, %d wanted",
                   PyTuple_GET_SIZE(args), static_cast<int>(sizeof...(As)));
      return nullptr;
    }
    try {
      return invoke(args, std::index_sequence_for<As...>{});
    } catch (const Mismatch&) {
      PyErr_Clear();
      PyErr_SetString(PyExc_TypeError, "incompatible function arguments: one is of a wrong type");
    } catch (...) {
      torch::translate_exception_to_python(std::current_exception());
    }
    return nullptr;
  }
};
}  // namespace concur_binding
"""


def header(tensor_unpack: str) -> str:
    """Return the header's text for a torch whose Tensor objects are read by `tensor_unpack` (see probe)."""
    return _HEADER.replace("@TENSOR_UNPACK@", tensor_unpack)


def light_module(functions: Iterable[tuple[str, str]]) -> str:
    """Return C++ that defines the module of the functions with the light header."""
    rows = [
        f"  {{{quoted(name)}, &concur_binding::Bound<&{name}>::call, METH_VARARGS, {quoted(doc)}}},"
        for name, doc in functions
    ]
    return "\n".join(
        [
            "#define CONCUR_JOIN_(a, b) a##b",
            "#define CONCUR_JOIN(a, b) CONCUR_JOIN_(a, b)",
            "#define CONCUR_TEXT_(a) #a",
            "#define CONCUR_TEXT(a) CONCUR_TEXT_(a)",
            "static PyMethodDef concur_methods[] = {",
            *rows,
            "  {nullptr, nullptr, 0, nullptr}};",
            "static PyModuleDef concur_module = {",
            "  PyModuleDef_HEAD_INIT, CONCUR_TEXT(TORCH_EXTENSION_NAME), nullptr, -1, concur_methods};",
            'extern "C" __attribute__((visibility("default"))) PyObject*'
            " CONCUR_JOIN(PyInit_, TORCH_EXTENSION_NAME)() {",
            "  return PyModule_Create(&concur_module);",
            "}",
        ]
    )


def pybind_module(functions: Iterable[tuple[str, str]], *, torch_errors: bool) -> str:
    """Return C++ that defines the module of the functions as torch's own loader writes it."""
    rows = []
    for name, doc in functions:
        target = f"torch::wrap_pybind_function({name})" if torch_errors else name
        rows.append(f"m.def({quoted(name)}, {target}, {quoted(doc)});")
    return "\n".join(["PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {", *rows, "}"])


def quoted(text: str) -> str:
    """Return a C++ string literal. For ASCII, JSON's escapes are C++'s."""
    return json.dumps(text.encode("ascii", "replace").decode("ascii"))
