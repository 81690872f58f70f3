// SPDX-License-Identifier: Apache-2.0
#include "python/bind_kept_parts.hpp"

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"
#include "python/bind_tensor.hpp"
#include "python/host_array.hpp"
#include "python/interpreter_lock.hpp"
#include "python/session.hpp"
#include "render/kept_parts.hpp"

#include <pybind11/numpy.h>

#include <algorithm>
#include <cstring>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;
using render::KeptParts;
using render::PartKey;

namespace {

/// An object as part of a key: equal to that of the same object only.
struct Identity {
    py::object entry;
};

/// What Python made: a reference that any thread may let go.
using PythonPart = std::shared_ptr<void>;

void add(PartKey& key, py::handle entry);

PartKey tuple_key(py::handle entries) {
    PartKey key("tuple");
    for (const py::handle entry : entries) {
        add(key, entry);
    }
    return key;
}

void add(PartKey& key, py::handle entry) {
    if (entry.is_none()) {
        key.add(PartKey("none"));
    } else if (PyTuple_Check(entry.ptr()) != 0) {
        key.add(tuple_key(entry));
    } else if (py::isinstance<Identity>(entry)) {
        key.add_identity(keep_alive(entry.cast<const Identity&>().entry.ptr()));
    } else if (PyBytes_Check(entry.ptr()) != 0) {
        const auto bytes = entry.cast<std::string_view>();
        key.add_bytes(std::as_bytes(std::span(bytes)));
    } else if (PyUnicode_Check(entry.ptr()) != 0) {
        key.add(entry.cast<std::string_view>());
    } else if (PyFloat_Check(entry.ptr()) != 0) {
        key.add(entry.cast<double>());
    } else if (PyLong_Check(entry.ptr()) != 0) {
        key.add(std::string_view(py::str(entry).cast<std::string>())).add(PartKey("integer"));
    } else {
        throw ArgumentError(text("KeptParts: a key is made of tuples, Identity, bytes, text, "
                                 "numbers and None, got ",
                                 py::repr(entry).cast<std::string>()),
                            ArgumentError::Kind::type);
    }
}

/// Names of Python's parts and those of the engine's own are apart.
PartKey part_key(std::string_view name, py::handle key) {
    PartKey made(text("Python: ", name));
    add(made, key);
    return made;
}

py::object get(KeptParts& kept, std::string_view name, const py::object& key,
               const py::function& make) {
    const auto part =
        kept.get<PythonPart>(part_key(name, key), [&] { return keep_alive(make().ptr()); });
    return py::reinterpret_borrow<py::object>(static_cast<PyObject*>(part.get()));
}

py::array packed(const py::object& array, std::string_view what) {
    return py::array::ensure(to_array(array, what), py::array::c_style);
}

std::span<const std::byte> bytes_of(const py::array& array) {
    return {static_cast<const std::byte*>(array.data()), static_cast<std::size_t>(array.nbytes())};
}

py::object upload(KeptParts& kept, std::string_view name, const py::object& array,
                  const py::object& key) {
    const NumberArray checked(packed(array, "KeptParts.upload"), "KeptParts.upload");
    std::optional<PartKey> own;
    if (!key.is_none()) {
        own = PartKey("Python");
        add(*own, key);
    }
    return tensor_to_python(kept.upload_bytes(
        name, bytes_of(packed(checked.array(), "KeptParts.upload")), checked.kind(), own));
}

py::bytes digest(const py::object& array) {
    const py::array own = packed(array, "digest");
    return py::bytes(text(py::str(own.dtype()).cast<std::string>(), " ",
                          py::str(array.attr("shape")).cast<std::string>(), " ",
                          core::hash_bytes(bytes_of(own)).to_string()));
}

py::object digest_of(KeptParts& kept, const py::object& owner, const py::object& array) {
    PartKey key("digest");
    key.add_identity(keep_alive(owner.ptr())).add_identity(keep_alive(array.ptr()));
    const auto part =
        kept.get<PythonPart>(std::move(key), [&] { return keep_alive(digest(array).ptr()); });
    return py::reinterpret_borrow<py::object>(static_cast<PyObject*>(part.get()));
}

/// What a maker returns, as numbers of a tensor.
void write_array(const py::object& make, const py::object& dtype, std::span<std::byte> out) {
    const py::object made = make();
    const py::array array =
        packed(py::module_::import("numpy").attr("asarray")(made, dtype), "KeptParts.assemble");
    if (bytes_of(array).size() != out.size()) {
        throw ArgumentError(text("KeptParts.assemble: a chunk of ", out.size() / 4,
                                 " numbers is expected, its maker returned ", array.size()));
    }
    std::ranges::copy(bytes_of(array), out.begin());
}

py::object assemble(KeptParts& kept, const std::string& name, const py::sequence& chunks,
                    const py::object& dtype) {
    const py::dtype type = py::dtype::from_args(dtype);
    std::vector<render::Chunk> read;
    for (const py::handle entry : chunks) {
        const py::object make = entry.attr("make");
        read.push_back(
            {.key = part_key("chunk", entry.attr("key")),
             .count = entry.attr("size").cast<std::size_t>(),
             .write = [&type, make](std::span<std::byte> out) { write_array(make, type, out); }});
    }
    if (type.itemsize() != 4) {
        throw ArgumentError("KeptParts.assemble: dtype must be of 4 bytes; pass numpy.float32 or "
                            "numpy.uint32");
    }
    return tensor_to_python(kept.assemble(name, std::move(read), scalar_kind(type)));
}

std::shared_ptr<KeptParts> create(const std::shared_ptr<Session>& session,
                                  const KeptParts* before) {
    return std::make_shared<KeptParts>(session->device, before);
}

} // namespace

void bind_kept_parts(py::module_& module) {
    py::classh<Identity>(module, "Identity",
                         "An object as part of a key; equal to that of the same object only, which "
                         "it keeps alive.")
        .def(py::init([](py::object entry) { return Identity{std::move(entry)}; }),
             py::arg("entry"))
        .def_readonly("entry", &Identity::entry, "The object.")
        .def(
            "__eq__",
            [](const Identity& self, const py::object& other) {
                return py::isinstance<Identity>(other) &&
                       other.cast<const Identity&>().entry.is(self.entry);
            },
            py::arg("other"), "Whether the other stands for the same object.")
        .def(
            "__hash__",
            [](const Identity& self) { return reinterpret_cast<std::intptr_t>(self.entry.ptr()); },
            "The same for the same object.");
    module.def("digest", &digest, py::arg("array"),
               "Returns bytes that stand for an array's shape, type and numbers.");
    py::classh<KeptParts>(
        module, "KeptParts",
        "Parts by name and key, those of the tables before, and those that replace them.\n\n"
        "A part is found again by its key: what it was made from. Large arrays count by identity, "
        "as the objects of a scene do, everything else by value.\n")
        .def(py::init(&create), py::arg("device").none(false), py::arg("before") = nullptr,
             "Args:\n    device: Where tensors go.\n    before: Of the tables that are to be "
             "replaced, which stay as they are.\n")
        .def("get", &get, py::arg("name"), py::arg("key"), py::arg("make"),
             "Returns the part of that name and key, which is made if it is not there.\n\n"
             "Args:\n    name: Of the part.\n    key: Tuples of Identity, bytes, text, numbers and "
             "None.\n    make: Called without arguments.\n")
        .def("upload", &upload, py::arg("name"), py::arg("array"), py::arg("key") = py::none(),
             "Returns a flat tensor of an array's numbers, which nobody writes to.\n\n"
             "Args:\n    name: Of the part.\n    array: Of any shape; without numbers it stands "
             "for one zero.\n    key: What it was made from; None: its numbers.\n")
        .def("digest_of", &digest_of, py::arg("owner"), py::arg("array"),
             "Returns digest() of an array, looked at once for an owner that nobody changes.")
        .def("assemble", &assemble, py::arg("name"), py::arg("chunks"),
             py::arg("dtype") = py::str("float32"),
             "Returns a flat tensor of chunks, one after the other, which nobody writes to.\n\n"
             "Chunks that the tensor of this name had before are copied on the device.\n")
        .def("end", &KeptParts::end, "Lets go of the parts of the tables before.");
}

} // namespace weft::python
