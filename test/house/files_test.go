package house

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the top of the tree, seen from this folder.
const root = "../.."

// goFiles calls visit for every Go file of the tree.
func goFiles(t *testing.T, visit func(path string, source []byte)) {
	t.Helper()
	isGo := func(path string) bool { return filepath.Ext(path) == ".go" }
	if n := files(t, isGo, visit); n < 10 {
		t.Fatalf("walk: %d files", n)
	}
}

// files calls visit for the n files of the tree whose path fits.
func files(t *testing.T, fits func(path string) bool, visit func(path string, source []byte)) (n int) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || path != root && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || !fits(path) {
			return nil
		}
		source, err := os.ReadFile(path)
		n++
		visit(strings.TrimPrefix(path, root+"/"), source)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// maxFile is how many lines a file may have.
const maxFile = 400

func TestFilesAreSmall(t *testing.T) {
	goFiles(t, func(path string, source []byte) {
		limit := maxFile
		if strings.HasPrefix(path, "cmd/") && !strings.HasSuffix(path, "_test.go") {
			limit = 150
		}
		if lines := bytes.Count(source, []byte("\n")); lines > limit {
			t.Errorf("%s has %d lines; at most %d: split it by idea", path, lines, limit)
		}
	})
}

// vague are words that tell nothing about a thing.
var vague = regexp.MustCompile(`(?i)(manager|helper|util|common)|^(?:base|Base[A-Z])`) // ConfigManager, helper.go, BaseCollector

// maxFunction is how many lines a function may have.
const maxFunction = 60

func TestNamesAndFunctions(t *testing.T) {
	goFiles(t, func(path string, source []byte) {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, source, parser.ParseComments)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if vague.MatchString(filepath.Base(path)) {
			t.Errorf("%s: a vague file name", path)
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				checkFunction(t, path, d)
				if lines := files.Position(d.End()).Line - files.Position(d.Pos()).Line + 1; lines > maxFunction {
					t.Errorf("%s: %s has %d lines; at most %d", path, d.Name.Name, lines, maxFunction)
				}
			case *ast.GenDecl:
				checkTypes(t, path, d)
			}
		}
	})
}

func checkFunction(t *testing.T, path string, f *ast.FuncDecl) {
	name := f.Name.Name
	switch {
	case f.Recv == nil && name == "init":
		t.Errorf("%s: func init: wire it where it is used", path)
	case strings.HasPrefix(name, "Get"), strings.HasPrefix(name, "get") && len(name) > 3:
		t.Errorf("%s: %s: no Get prefix", path, name)
	case vague.MatchString(name) && !strings.HasPrefix(name, "Test"):
		t.Errorf("%s: %s: a vague name", path, name)
	case isPublic(f) && f.Doc == nil && !strings.HasSuffix(path, "_test.go"):
		t.Errorf("%s: exported %s has no doc comment", path, name)
	}
}

func checkTypes(t *testing.T, path string, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		s, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		if vague.MatchString(s.Name.Name) {
			t.Errorf("%s: type %s: a vague name", path, s.Name.Name)
		}
		if s.Name.IsExported() && d.Doc == nil && s.Doc == nil && !strings.HasSuffix(path, "_test.go") {
			t.Errorf("%s: exported type %s has no doc comment", path, s.Name.Name)
		}
	}
}

// isPublic says whether other packages see a function: its name and, for a
// method, the name of its type are exported.
func isPublic(f *ast.FuncDecl) bool {
	public := f.Name.IsExported()
	if f.Recv != nil {
		ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				public = public && id.IsExported()
				return false
			}
			return true
		})
	}
	return public
}

// TestSkipsAreDeclared: only test/need skips, so that CI can require that a
// test ran.
func TestSkipsAreDeclared(t *testing.T) {
	goFiles(t, func(path string, source []byte) {
		if path == "test/need/need.go" || path == "test/house/files_test.go" {
			return
		}
		for _, call := range []string{".Skip(", ".Skipf(", ".SkipNow("} {
			if bytes.Contains(source, []byte(call)) {
				t.Errorf("%s calls %s; use test/need", path, call)
			}
		}
	})
}
