// SPDX-License-Identifier: Apache-2.0
#include "compile_support.hpp"
#include "support/catch.hpp"

#include <set>

using namespace weft;
using namespace weft::compile;
using reflect::Direction;
using reflect::Literal;
using reflect::ScalarKind;
using reflect::TypeKind;

namespace {

reflect::Module reflect_text(std::string_view text) {
    return load_text(*plain_compiler(), text)->reflection;
}

} // namespace

TEST_CASE("a module lists its own functions in source order and nothing that it imports") {
    const auto module =
        reflect_text("float b(float x) { return x; }\nint a(int x) { return x; }\n");

    REQUIRE(module.functions.size() == 2);
    CHECK(module.functions[0].name == "b");
    CHECK(module.functions[1].name == "a");
    CHECK(module.structs.empty());
    CHECK(module.globals.empty());
    CHECK(module.constants.empty());
}

TEST_CASE("parameters carry name, type, direction and no_diff") {
    const auto module =
        reflect_text("float f(in float a, out float2 b, inout int c, no_diff float d, const uint e)"
                     " { b = float2(a); return d; }");

    const reflect::Function& f = only_function(module, "f");
    REQUIRE(f.parameters.size() == 5);
    CHECK(f.parameters[0].direction == Direction::in);
    CHECK(f.parameters[1].direction == Direction::out);
    CHECK(f.parameters[1].type->full_name == "vector<float,2>");
    CHECK(f.parameters[2].direction == Direction::inout);
    CHECK(f.parameters[2].type->scalar == ScalarKind::int32);
    CHECK(f.parameters[3].is_no_diff);
    CHECK_FALSE(f.parameters[0].is_no_diff);
    CHECK(f.parameters[4].type->scalar == ScalarKind::uint32);
    CHECK(f.return_type->scalar == ScalarKind::float32);
}

TEST_CASE("scalar types keep their width") {
    const auto module =
        reflect_text("void f(bool a, int8_t b, int16_t c, int d, int64_t e, uint8_t g, uint16_t h,"
                     " uint i, uint64_t j, half k, float l, double m) {}");

    const std::vector<ScalarKind> expected{
        ScalarKind::bool_,  ScalarKind::int8,    ScalarKind::int16,   ScalarKind::int32,
        ScalarKind::int64,  ScalarKind::uint8,   ScalarKind::uint16,  ScalarKind::uint32,
        ScalarKind::uint64, ScalarKind::float16, ScalarKind::float32, ScalarKind::float64};
    std::vector<ScalarKind> kinds;
    for (const auto& parameter : only_function(module, "f").parameters) {
        kinds.push_back(parameter.type->scalar);
    }
    CHECK(kinds == expected);
    CHECK(only_function(module, "f").return_type->kind == TypeKind::scalar);
    CHECK(only_function(module, "f").return_type->scalar == ScalarKind::void_);
}

TEST_CASE("vectors, matrices and arrays keep their sizes") {
    const auto module =
        reflect_text("void f(float3 a, float3x2 b, int c[4], float2 d[5], float e[3][2], float g[],"
                     " vector<half, 1> h) {}");

    const auto& parameters = only_function(module, "f").parameters;
    CHECK(parameters[0].type->columns == 3);
    CHECK(parameters[1].type->kind == TypeKind::matrix);
    CHECK(parameters[1].type->rows == 3);
    CHECK(parameters[1].type->columns == 2);
    CHECK(parameters[2].type->kind == TypeKind::array);
    CHECK(parameters[2].type->count == 4);
    CHECK(reflect::element_shape(*parameters[3].type) == std::vector<std::int64_t>{5, 2});
    CHECK(reflect::element_shape(*parameters[4].type) == std::vector<std::int64_t>{3, 2});
    CHECK(parameters[5].type->count == 0);
    CHECK(parameters[6].type->kind == TypeKind::vector);
    CHECK(parameters[6].type->columns == 1);
}

TEST_CASE("literal defaults are read exactly, negative and double ones included") {
    const auto module = reflect_text(
        "static const int kCount = 7;\n"
        "void f(int l, int a = 3, int b = -4, float c = 0.5, float d = -2.5f, float e = 2,\n"
        "       bool g = true, double h = 0.1, uint i = 0xffffffffu, int j = kCount,\n"
        "       float3 k = float3(1, 2, 3), float[2] m = { 1.f, 2.f },\n"
        "       vector<float, 2> n = vector<float, 2>(1, 2), int o = 1) {}");

    const auto& parameters = only_function(module, "f").parameters;
    CHECK(parameters[1].default_value == Literal(std::int64_t{3}));
    CHECK(parameters[1].default_text == "3");
    CHECK(parameters[10].default_text == "float3(1, 2, 3)");
    CHECK(parameters[11].default_text == "{ 1.f, 2.f }");
    CHECK(parameters[12].default_text == "vector<float, 2>(1, 2)");
    CHECK(parameters[13].default_text == "1");
    CHECK(parameters[2].default_value == Literal(std::int64_t{-4}));
    CHECK(parameters[3].default_value == Literal(0.5));
    CHECK(parameters[4].default_value == Literal(-2.5));
    CHECK(parameters[5].default_value == Literal(2.0));
    CHECK(parameters[6].default_value == Literal(true));
    CHECK(parameters[7].default_value == Literal(0.1));
    CHECK(parameters[8].default_value == Literal(std::int64_t{0xffffffff}));
    for (const std::size_t i : {9, 10}) { // a named constant, a constructor
        CHECK(parameters[i].has_default);
        CHECK_FALSE(parameters[i].default_value.has_value());
    }
    CHECK_FALSE(parameters[0].has_default);
}

TEST_CASE("user attributes carry their arguments on functions, parameters, structures and fields") {
    const auto module = reflect_text(
        "[__AttributeUsage(_AttributeTargets.Function)] struct LabelAttribute { string text; };\n"
        "[__AttributeUsage(_AttributeTargets.Param)] struct RangeAttribute { float low; float "
        "high; };\n"
        "[__AttributeUsage(_AttributeTargets.Struct)] struct KindAttribute { int id; };\n"
        "[__AttributeUsage(_AttributeTargets.Var)] struct UnitAttribute { string text; };\n"
        "[Kind(-3)] struct Lamp { [Unit(\"W\")] float power; };\n"
        "[Label(\"Two \\\"words\\\"\")] float f([Range(-1.5, 2)] float x) { return x; }\n");

    const reflect::Function& f = only_function(module, "f");
    REQUIRE(f.attributes.size() == 1);
    CHECK(f.attributes[0].name == "Label");
    CHECK(std::get<std::string>(f.attributes[0].arguments.at(0)) == "Two \"words\"");
    REQUIRE(f.parameters[0].attributes.size() == 1);
    CHECK(std::get<double>(f.parameters[0].attributes[0].arguments.at(0)) == -1.5);
    CHECK(std::get<double>(f.parameters[0].attributes[0].arguments.at(1)) == 2.0);
    const reflect::Type& lamp = *only_struct(module, "Lamp").type;
    REQUIRE(lamp.attributes.size() == 1);
    CHECK(std::get<std::int64_t>(lamp.attributes[0].arguments.at(0)) == -3);
    REQUIRE(lamp.fields.at(0).attributes.size() == 1);
    CHECK(std::get<std::string>(lamp.fields[0].attributes[0].arguments.at(0)) == "W");
}

TEST_CASE("documentation is cut from above declarations and from beside parameters and fields") {
    const auto module =
        reflect_text("/// Adds two numbers.\n"
                     "/// Exactly.\n"
                     "[Differentiable]\n"
                     "float add(\n"
                     "    float a, ///< the first\n"
                     "    // the second\n"
                     "    float b)\n"
                     "{ return a + b; }\n"
                     "\n"
                     "// not about f\n"
                     "\n"
                     "float f(float x /* metres */, float y) { return x; } // trailing\n"
                     "/**\n"
                     " * A pixel.\n"
                     " */\n"
                     "struct Pixel {\n"
                     "    float r; // red\n"
                     "    /// green\n"
                     "    float g;\n"
                     "    float b;\n"
                     "};\n");

    const reflect::Function& add = only_function(module, "add");
    CHECK(add.documentation == "Adds two numbers.\nExactly.");
    CHECK(add.parameters[0].documentation == "the first");
    CHECK(add.parameters[1].documentation == "the second");
    CHECK(only_function(module, "f").documentation.empty());
    CHECK(only_function(module, "f").parameters[0].documentation == "metres");
    CHECK(only_function(module, "f").parameters[1].documentation.empty());
    const reflect::Type& pixel = *only_struct(module, "Pixel").type;
    CHECK(pixel.documentation == "A pixel.");
    CHECK(pixel.fields[0].documentation == "red");
    CHECK(pixel.fields[1].documentation == "green");
    CHECK(pixel.fields[2].documentation.empty());
}

TEST_CASE("functions and parameters know their place in the user's text") {
    const auto module =
        reflect_text("\nfloat first(float x) { return x; }\n\n  int second(int y) { return y; }\n");

    CHECK(only_function(module, "first").location.line == 2);
    CHECK(only_function(module, "first").location.column == 7);
    CHECK(only_function(module, "second").location.line == 4);
    CHECK(only_function(module, "second").parameters[0].location.column == 18);
    CHECK(only_function(module, "second").location.file == "sample");
}

TEST_CASE("differentiability is read from every form of the attribute") {
    const auto module = reflect_text(
        "[Differentiable] float a(float x) { return x; }\n"
        "[BackwardDifferentiable] float b(float x) { return x; }\n"
        "[BackwardDerivative(cBackward)] float c(float x) { return x; }\n"
        "void cBackward(inout DifferentialPair<float> p, float d) { p = diffPair(p.p, d); }\n"
        "float d(float x) { return x; }\n");

    CHECK(only_function(module, "a").is_differentiable);
    CHECK(only_function(module, "b").is_differentiable);
    CHECK(only_function(module, "c").is_differentiable);
    CHECK_FALSE(only_function(module, "d").is_differentiable);
}

TEST_CASE("overloads are listed one by one") {
    const auto module =
        reflect_text("float f(float3 x) { return 0; }\nfloat f(float3 x[2]) { return 1; }\n"
                     "float f(int x) { return 2; }");

    REQUIRE(module.functions.size() == 3);
    CHECK(module.functions[0].parameters[0].type->kind == TypeKind::vector);
    CHECK(module.functions[1].parameters[0].type->kind == TypeKind::array);
    CHECK(module.functions[2].parameters[0].type->kind == TypeKind::scalar);
}

TEST_CASE("generic parameters keep their order, kind and constraints") {
    const auto module = reflect_text("T f<T : __BuiltinFloatingPointType, let N : int, U : "
                                     "IDifferentiable>(T a, vector<T, N> b, U c, float d[N],"
                                     " matrix<float, N, 2> e) { return a; }");

    const reflect::Function& f = only_function(module, "f");
    REQUIRE(f.generics.size() == 3);
    CHECK(f.generics[0].name == "T");
    CHECK_FALSE(f.generics[0].is_value);
    CHECK(f.generics[0].constraints == std::vector<std::string>{"__BuiltinFloatingPointType"});
    CHECK(f.generics[1].name == "N");
    CHECK(f.generics[1].is_value);
    CHECK(f.generics[2].constraints == std::vector<std::string>{"IDifferentiable"});
    CHECK(f.parameters[0].type->kind == TypeKind::generic_parameter);
    CHECK(f.parameters[1].type->kind == TypeKind::vector);
    CHECK(f.parameters[1].type->count_parameter == "N");
    CHECK(f.parameters[1].type->element->name == "T");
    CHECK(f.parameters[3].type->kind == TypeKind::array);
    CHECK(f.parameters[3].type->count_parameter == "N");
    CHECK(f.parameters[4].type->row_parameter == "N");
    CHECK(f.parameters[4].type->columns == 2);
}

TEST_CASE("structures list fields, methods and constructors, but nothing that Slang synthesises") {
    const auto module = reflect_text("struct Ball : IDifferentiable {\n"
                                     "    float radius;\n"
                                     "    no_diff int id;\n"
                                     "    __init(float r) { radius = r; id = 0; }\n"
                                     "    float area() { return radius; }\n"
                                     "    [mutating] void grow(float by) { radius += by; }\n"
                                     "    static Ball unit() { return Ball(1); }\n"
                                     "    T scaled<T>(T x) { return x; }\n"
                                     "};\n");

    const reflect::Structure& ball = only_struct(module, "Ball");
    REQUIRE(ball.type->fields.size() == 2);
    CHECK(ball.type->fields[0].name == "radius");
    CHECK(ball.type->is_differentiable);
    CHECK(ball.type->differential == "Ball.Differential");
    REQUIRE(ball.methods.size() == 5);
    CHECK(ball.methods[0].is_constructor);
    CHECK(ball.methods[0].full_name == "Ball");
    CHECK(ball.methods[1].full_name == "Ball.area");
    CHECK(ball.methods[1].owner == "Ball");
    CHECK(ball.methods[1].this_type == ball.type);
    CHECK(ball.methods[2].is_mutating);
    CHECK(ball.methods[3].is_static);
    CHECK(ball.methods[4].generics.at(0).name == "T");
}

TEST_CASE("a generic structure lists its parameters") {
    const auto module =
        reflect_text("struct Pair<T, let N : int> { T items[N]; T first() { return items[0]; } };\n"
                     "float f(Pair<float, 2> p) { return p.first(); }");

    const reflect::Structure& pair = only_struct(module, "Pair");
    REQUIRE(pair.generics.size() == 2);
    CHECK(pair.generics[1].is_value);
    const reflect::Type& bound = *only_function(module, "f").parameters[0].type;
    CHECK(bound.full_name == "Pair<float, 2>");
    REQUIRE(bound.fields.size() == 1);
    CHECK(bound.fields[0].type->count == 2);
    CHECK(bound.fields[0].type->element->scalar == ScalarKind::float32);
}

TEST_CASE("enumerations carry their underlying integer") {
    const auto module = reflect_text("enum Mode : uint8_t { off, on };\nvoid f(Mode m) {}");

    const reflect::Type& mode = *only_function(module, "f").parameters[0].type;
    CHECK(mode.kind == TypeKind::enumeration);
    CHECK(mode.full_name == "Mode");
    CHECK(mode.scalar == ScalarKind::uint8);
    CHECK(mode.layout.size == 1);
}

TEST_CASE("numthreads alone makes an entry point") {
    const auto module =
        reflect_text("[numthreads(8, 4, 2)] void run(uint3 id : SV_DispatchThreadID) {}\n"
                     "[shader(\"compute\")] [numthreads(16, 1, 1)] void walk() {}\nvoid f() {}");

    const reflect::Function& run = only_function(module, "run");
    CHECK(run.is_entry_point);
    CHECK(run.group_size == std::array<std::int32_t, 3>{8, 4, 2});
    CHECK(run.parameters[0].semantic == "SV_DispatchThreadID");
    CHECK(only_function(module, "walk").group_size[0] == 16);
    CHECK_FALSE(only_function(module, "f").is_entry_point);
}

TEST_CASE("uniforms and link-time constants at module scope are listed, other variables are not") {
    const auto module =
        reflect_text("uniform float scale;\nextern static const int kCount;\n"
                     "static const float kPi = 3.14;\ngroupshared float cache[4];\n");

    REQUIRE(module.globals.size() == 1);
    CHECK(module.globals[0].name == "scale");
    CHECK(module.globals[0].type->scalar == ScalarKind::float32);
    REQUIRE(module.constants.size() == 1);
    CHECK(module.constants[0].name == "kCount");
    CHECK(module.constants[0].type->scalar == ScalarKind::int32);
}

TEST_CASE("tensor parameters are recognised with element, rank and access") {
    const auto module =
        reflect_text("void f(ITensor<float, 2> a, IRWTensor<float3, 1> b, WTensor<int, 3> c) {}\n"
                     "void g<T : __BuiltinFloatingPointType, let D : int>(ITensor<T, D> a) {}");

    const auto& parameters = only_function(module, "f").parameters;
    REQUIRE(parameters[0].type->kind == TypeKind::tensor);
    CHECK(parameters[0].type->tensor.is_interface);
    CHECK(parameters[0].type->tensor.rank == 2);
    CHECK(parameters[0].type->element->scalar == ScalarKind::float32);
    CHECK(parameters[1].type->tensor.access == reflect::Access::read_write);
    CHECK(parameters[1].type->element->columns == 3);
    CHECK(parameters[2].type->tensor.access == reflect::Access::write);
    CHECK_FALSE(parameters[2].type->tensor.is_interface);
    const reflect::Type& unbound = *only_function(module, "g").parameters[0].type;
    REQUIRE(unbound.kind == TypeKind::tensor);
    CHECK(unbound.tensor.rank_parameter == "D");
    CHECK(unbound.element->kind == TypeKind::generic_parameter);
}

TEST_CASE("pointers know what they point to, even a structure that points to itself") {
    const auto module =
        reflect_text("struct Node { float value; Node* next; };\nvoid f(float3* p, Node* n) {}");

    const auto& parameters = only_function(module, "f").parameters;
    CHECK(parameters[0].type->kind == TypeKind::pointer);
    CHECK(parameters[0].type->element->columns == 3);
    CHECK(parameters[0].type->layout.size == 8);
    const reflect::Type& node = *parameters[1].type->element;
    REQUIRE(node.fields.size() == 2);
    CHECK(node.fields[1].type->kind == TypeKind::pointer);
    CHECK(node.fields[1].type->element->full_name == "Node");
    CHECK(node.layout.size == 16);
}

TEST_CASE("types that Weft cannot pass are named, not dropped") {
    const auto module = reflect_text(
        "void f(Texture2D a, StructuredBuffer<float> b, SamplerState c, IDifferentiable d) {}");

    const auto& parameters = only_function(module, "f").parameters;
    CHECK(parameters[0].type->kind == TypeKind::resource);
    CHECK(parameters[0].type->full_name.find("Texture2D") == 0);
    CHECK(parameters[1].type->kind == TypeKind::tensor);
    CHECK(parameters[1].type->tensor.is_buffer);
    CHECK(parameters[2].type->kind == TypeKind::resource);
    CHECK(parameters[3].type->kind == TypeKind::interface_);
}

TEST_CASE("functions in a namespace are listed under their full name") {
    const auto module = reflect_text(
        "namespace maths { float twice(float x) { return 2 * x; } struct P { int a; }; }");

    CHECK(only_function(module, "maths.twice").name == "twice");
    CHECK(only_struct(module, "P").type->full_name == "maths.P");
}
