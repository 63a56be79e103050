// Reads an iCalendar file with libical and writes it again: libical INPUT OUTPUT
#include <libical/ical.h>
#include <stdio.h>

static char *line(char *to, size_t size, void *file) { return fgets(to, (int)size, file); }

int main(int count, char **words) {
    FILE *in = count == 3 ? fopen(words[1], "r") : NULL, *out = in ? fopen(words[2], "w") : NULL;
    if (!out) return 1;
    icalparser *parser = icalparser_new();
    icalparser_set_gen_data(parser, in);
    icalcomponent *calendar = icalparser_parse(parser, line);
    if (!calendar) return 1;
    fputs(icalcomponent_as_ical_string(calendar), out);
    return fclose(out) != 0;
}
