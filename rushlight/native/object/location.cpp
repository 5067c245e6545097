// Locations: the user's line behind a call. See errors/location.py.
#include "object/location.h"

#include <cstring>
#include <new>
#include <string>
#include <unordered_map>

namespace rushlight {

namespace {

std::string package;

// Whether a file is part of rushlight, by its name object. The map owns the names, so an address is never reused.
std::unordered_map<PyObject*, bool>& known_files() {
    static auto* files = new std::unordered_map<PyObject*, bool>;
    return *files;
}

bool is_ours_by_file(PyCodeObject* code) {
    auto& files = known_files();
    auto found = files.find(code->co_filename);
    if (found != files.end()) return found->second;
    const char* path = PyUnicode_AsUTF8(code->co_filename);
    if (path == nullptr) PyErr_Clear();
    bool ours = path != nullptr && !package.empty() && std::strncmp(path, package.c_str(), package.size()) == 0;
    // programs that compile code all the time have ever new names
    if (files.size() > 4096) {
        for (auto& each : files) Py_DECREF(each.first);
        files.clear();
    }
    try {
        files.emplace(code->co_filename, ours);
        Py_INCREF(code->co_filename);
    } catch (const std::bad_alloc&) {
        // then it is found out anew the next time
    }
    return ours;
}

bool is_ours(PyCodeObject* code) {
    // code that called before, and calls again; held, so that its address stays its own
    struct Caller {
        PyCodeObject* code;
        bool ours;
    };
    static Caller callers[64] = {};
    Caller& caller = callers[reinterpret_cast<uintptr_t>(code) / 64 % 64];
    if (caller.code == code) return caller.ours;
    bool ours = caller.ours = is_ours_by_file(code);
    Py_INCREF(code);
    // the code before it may be the last reference to something that calls us again
    Py_XSETREF(caller.code, code);
    return ours;
}

}  // namespace

Place user_place() {
    Place place;
    PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
    while (frame != nullptr) {
        PyCodeObject* code = PyFrame_GetCode(frame);
        if (!is_ours(code)) {
            place.code = code;
            place.instruction = PyFrame_GetLasti(frame);
            Py_DECREF(frame);
            return place;
        }
        Py_DECREF(code);
        PyFrameObject* outer = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = outer;
    }
    return place;
}

PyObject* place_tuple(const Place& place) {
    if (place.code == nullptr) Py_RETURN_NONE;
    Ref instruction = Ref::steal(PyLong_FromLong(place.instruction));
    return instruction ? PyTuple_Pack(2, place.code, instruction.get()) : nullptr;
}

bool place_from(PyObject* object, Place& place) {
    clear_place(place);
    if (object == nullptr || object == Py_None) return true;
    PyCodeObject* code;
    int instruction;
    if (!PyTuple_Check(object) || !PyArg_ParseTuple(object, "O!i", &PyCode_Type, &code, &instruction)) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a place is a tuple (code, instruction)");
        return false;
    }
    place.code = reinterpret_cast<PyCodeObject*>(Py_NewRef(code));
    place.instruction = instruction;
    return true;
}

PyObject* set_package(PyObject*, PyObject* folder) {
    const char* path = PyUnicode_AsUTF8(folder);
    if (path == nullptr) return nullptr;
    package = path;
    Py_RETURN_NONE;
}

// The number of frames to leave out, which Python gives to be quick, is not needed here.
PyObject* user_line(PyObject*, PyObject* const*, Py_ssize_t) {
    Place place = user_place();
    PyObject* found = place_tuple(place);
    clear_place(place);
    return found;
}

}  // namespace rushlight
