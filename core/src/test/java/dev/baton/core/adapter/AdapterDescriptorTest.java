package dev.baton.core.adapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.adapter.AdapterDescriptor.Kind;
import dev.baton.core.adapter.AdapterDescriptor.Use;
import dev.baton.core.adapter.AdapterDescriptor.Variable;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdapterDescriptorTest {

  private static final String LEAST = "name=Shelf\nkinds=shelf\nshelf.uses=cloud\n";

  private static AdapterDescriptor read(String text) throws IOException {
    return AdapterDescriptor.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void aDescriptorIsReadFromLines() throws Exception {
    AdapterDescriptor read =
        read(
            """
            name = Shelf
            artifact = org.example:shelf
            image = shelf
            command = planks
            advice = Ask the carpenter.
            permissions = a ladder
            guide = docs/shelf.md
            kinds = shelf, carpenter
            shelf.uses = queues, vm-states, probe, setup
            shelf.address = shelf:BOARD
            shelf.example = shelf:top
            shelf.note = on a board
            carpenter.uses = cloud, cloud-setup
            variables = SHELF_KEY, SHELF_HEIGHT
            SHELF_KEY = opens it
            SHELF_HEIGHT = in cm
            SHELF_HEIGHT.sensitive = false
            request-logs = org.example.carpentry, org.example.wood
            """);
    assertThat(read)
        .isEqualTo(
            new AdapterDescriptor(
                "Shelf",
                Optional.of("org.example:shelf"),
                Optional.of("shelf"),
                Optional.of("planks"),
                "Ask the carpenter.",
                "a ladder",
                "docs/shelf.md",
                List.of(
                    new Kind(
                        "shelf",
                        Set.of(Use.QUEUES, Use.VM_STATES, Use.PROBE, Use.SETUP),
                        "shelf:BOARD",
                        "shelf:top",
                        "on a board"),
                    new Kind(
                        "carpenter",
                        Set.of(Use.CLOUD, Use.CLOUD_SETUP),
                        "carpenter",
                        "carpenter",
                        "")),
                List.of(
                    new Variable("SHELF_KEY", "opens it", true),
                    new Variable("SHELF_HEIGHT", "in cm", false)),
                List.of("org.example.carpentry", "org.example.wood")));
    assertThat(read.kinds(Use.CLOUD)).extracting(Kind::name).containsExactly("carpenter");
    assertThat(read.isBuiltIn()).isFalse();
    assertThat(read(LEAST).isBuiltIn()).isTrue();
  }

  /** Only the word itself makes a variable harmless. */
  @ParameterizedTest
  @CsvSource({"false,false", "False,true", "no,true", "'',true", "true,true"})
  void aVariableIsSensitiveUnlessItIsSaidNotToBe(String text, boolean sensitive) throws Exception {
    AdapterDescriptor read = read(LEAST + "variables=KEY\nKEY=opens it\nKEY.sensitive=" + text);
    assertThat(read.variables()).containsExactly(new Variable("KEY", "opens it", sensitive));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "name=                     | name must not be empty",
        "kinds=                    | brings neither store nor cloud",
        "kinds=Shelf               | the name of a kind cannot be",
        "artifact=shelf            | artifact cannot be \"shelf\"",
        "image=v1/x                | image cannot be",
        "command=Shelf             | command cannot be",
        "command=shelf             | names a command, and sets up nothing",
        "shelf.uses=cloud, setup   | names no command for its setup",
        "shelf.uses=               | shelf has no use",
        "shelf.uses=shoes          | no use of an adapter: shoes",
        "shelf.address=shelf:BOARD | shelf:BOARD is not an address of shelf",
        "variables=KEY             | KEY must not be empty",
        "variables=key             | the name of a variable cannot be",
        "advice=a\\u0007b          | advice has a control character",
        "shelf.price=3             | unknown in the descriptor of an adapter: \"shelf.price\"",
      })
  void whatIsWrongWithADescriptorIsNamed(String line, String message) {
    assertThatThrownBy(() -> read(LEAST + line.strip() + "\n"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void anAdapterWithoutADescriptorIsNamed() {
    Adapter bare = new Adapter() {};
    assertThatThrownBy(bare::descriptor)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(getClass().getName());
  }
}
