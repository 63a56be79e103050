// Reads cards with libebook-contacts and writes them again: libebook INPUT OUTPUT
#include <libebook-contacts/libebook-contacts.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **words) {
    gchar *text = NULL;
    if (count != 3 || !g_file_get_contents(words[1], &text, NULL, NULL)) return 1;
    FILE *out = fopen(words[2], "w");
    if (!out) return 1;
    for (char *at = text; (at = strstr(at, "BEGIN:VCARD")) != NULL;) {
        char *end = strstr(at, "END:VCARD");
        if (!end) break;
        end += strlen("END:VCARD");
        char kept = *end;
        *end = 0;
        EVCard *card = e_vcard_new_from_string(at);
        e_vcard_get_attributes(card);  // cards are not parsed before somebody asks
        gchar *written = e_vcard_to_string(card, EVC_FORMAT_VCARD_30);
        fputs(written, out);
        fputs("\r\n", out);
        g_free(written);
        g_object_unref(card);
        *end = kept;
        at = end;
    }
    return fclose(out) != 0;
}
