use super::*;

fn outline_text(path: &str, text: &str) -> String {
    let lines = FileLines::from_bytes(text.as_bytes());
    let outline = FileOutline::from_lines(path, &lines);
    let line = |it: &CodeItem| {
        format!(
            "{} {} {}-{}",
            it.kind,
            it.path,
            it.rows.start + 1,
            it.rows.end
        )
    };
    outline
        .items()
        .iter()
        .map(line)
        .collect::<Vec<_>>()
        .join("; ")
}

#[test]
fn items_are_found_with_their_ends() {
    let check = |path: &str, text: &str, expected: &str| {
        assert_eq!(outline_text(path, text), expected, "{path}: {text}");
    };
    check(
        "a.rs",
        "pub const MAX: u32 = 3;\nimpl<T> Fmt for Server<T> {\n    fn bind(\n        &self,\n    ) -> u32 {\n        3\n    }\n}",
        "value MAX 1-1; type Server 2-8; function Server::bind 3-7",
    );
    check(
        "a.rs",
        "pub(crate) enum Mode {\n    A,\n    B,\n}\nfn next() {}",
        "type Mode 1-4; value Mode::A 2-2; value Mode::B 3-3; function next 5-5",
    );
    check(
        "a.py",
        "class A(B):\n    x: int = 1\n\n    def f(\n        self,\n    ) -> None:\n        '''doc\n    odd'''\n        y = 1\n\n    def g(self): pass\n\nz = [\n  1,\n]\n",
        "type A 1-11; value A::x 2-2; function A::f 4-9; function A::g 11-11; value z 13-15",
    );
    check(
        "a.go",
        "func (s *Server) Bind(a string) error {\n\treturn nil\n}\ntype T struct {\n\tA int\n}",
        "function Server::Bind 1-3; type T 4-6; value T::A 5-5",
    );
    check(
        "a.c",
        "static jv\nf_keys(jq_state *jq, jv a)\n{\n  if (a) { b(); }\n}\nint g(void);\n#define N 3\n",
        "function f_keys 1-5; value N 7-7",
    );
    check(
        "a.ts",
        "export const f = (a: string) => {\n  g(a)\n}\nclass A {\n  m(x?: number): void {\n  }\n}\nexport const enum E {\n  A = 1,\n  B,\n}",
        "value f 1-3; type A 4-7; function A::m 5-6; type E 8-11; value E::A 9-9; value E::B 10-10",
    );
    check(
        "Cargo.toml",
        "[package]\nname = \"x\"\n\n[dependencies]\na = [\n \"b\",\n]\n",
        "section package 1-3; value package::name 2-2; section dependencies 4-7; value dependencies::a 5-7",
    );
    check(
        "a.md",
        "# A\ntext\n## B\nmore\n# C\n",
        "section A 1-4; section A::B 3-4; section C 5-5",
    );
    check(
        "package.json",
        "{\n  \"scripts\": {\n    \"test\": \"x\"\n  }\n}",
        "value scripts 2-4; value scripts::test 3-3",
    );
}

#[test]
fn parts_of_an_item_are_told_apart() {
    let check = |path: &str, text: &str, name: &str, expected: &str| {
        let lines = FileLines::from_bytes(text.as_bytes());
        let outline = FileOutline::from_lines(path, &lines);
        let item = outline
            .find_by_path(name)
            .next()
            .expect("the item is there");
        let parts = ItemParts::new(path, &lines, &outline, item);
        let text = |span: Range<usize>| {
            String::from_utf8_lossy(parts.slice(&span))
                .trim()
                .to_owned()
        };
        let got = format!(
            "{}|{}|{}|{}",
            parts.list_parameter_names().unwrap_or_default().join(" "),
            parts.find_return_type().map(text).unwrap_or_default(),
            parts.list_members().unwrap_or_default().join(" "),
            parts
                .find_value()
                .map(|it| String::from_utf8_lossy(parts.slice(&it)).trim().to_owned())
                .unwrap_or_default(),
        );
        assert_eq!(got, expected, "{path}: {name}");
    };
    check(
        "a.rs",
        "fn f<T>(&self, a: Map<u8, u8>, mut b: u8) -> Result<A, B> {}",
        "f",
        "a b|-> Result<A, B>||",
    );
    check(
        "a.py",
        "def f(self, a: int = 302, *args) -> Base:\n    pass",
        "f",
        "a args|-> Base||",
    );
    check(
        "a.go",
        "func f(a, b int, c map[string]int) (context.Context, error) {\n}",
        "f",
        "a b c|(context.Context, error)||",
    );
    check(
        "a.c",
        "static jv f_keys(jq_state *jq, jv a[3]) {\n}",
        "f_keys",
        "jq a|static jv||",
    );
    check(
        "a.ts",
        "export function f(a: string, b?: { c: number }): Promise<void> {\n}",
        "f",
        "a b|: Promise<void>||",
    );
    check(
        "a.rs",
        "enum E {\n    #[x]\n    A(u8, u8),\n    B { c: u8 },\n    C,\n}",
        "E",
        "||A B C|",
    );
    check("a.rs", "const N: [u8; 2] = [1, 2];", "N", "|||[1, 2];");
}
